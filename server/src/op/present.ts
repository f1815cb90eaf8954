type Absent = null | undefined

/** The members that have a value; those that could be absent are optional. */
export type Present<T> = { [K in keyof T as Extract<T[K], Absent> extends never ? K : never]: T[K] } & {
  [K in keyof T as Extract<T[K], Absent> extends never ? never : K]?: Exclude<T[K], Absent>
}

/** Leaves out the members that are null or undefined: the API leaves out what is not there. */
export function present<T extends object>(members: T): Present<T> {
  const values: Partial<T> = {}
  for (const name in members) {
    const value = members[name]
    if (value !== null && value !== undefined) values[name] = value
  }
  return values as unknown as Present<T>
}
