type Absent = null | undefined

/** The members that have a value. Those that may be absent become optional. */
export type Present<T> = { [K in keyof T as Extract<T[K], Absent> extends never ? K : never]: T[K] } & {
  [K in keyof T as Extract<T[K], Absent> extends never ? never : K]?: Exclude<T[K], Absent>
}

/** Omits members that are null or undefined, as the API does. */
export function present<T extends object>(members: T): Present<T> {
  const values: Partial<T> = {}
  for (const name in members) {
    const value = members[name]
    if (value !== null && value !== undefined) values[name] = value
  }
  return values as unknown as Present<T>
}
