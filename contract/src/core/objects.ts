/** Returns the keys of an object that has exactly the properties in its type, such as a constant table. */
export function keysOf<T extends object>(table: T): (keyof T & string)[] {
  return Object.keys(table) as (keyof T & string)[]
}

/** Creates an object with a value for each key. */
export function buildTable<Key extends string, Value>(
  keys: readonly Key[],
  make: (key: Key) => Value,
): Record<Key, Value> {
  return Object.fromEntries(keys.map((key) => [key, make(key)])) as Record<Key, Value>
}

/** Ignores inherited properties such as `constructor`. */
export function isKeyOf<T extends object>(table: T, name: string): name is keyof T & string {
  return Object.hasOwn(table, name)
}

/** Returns an own property, never an inherited one such as `constructor`. */
export function getOwnValue<Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}

type Absent = null | undefined

/** The properties that have a value. Those that may be absent become optional. */
export type Present<T> = { [K in keyof T as Extract<T[K], Absent> extends never ? K : never]: T[K] } & {
  [K in keyof T as Extract<T[K], Absent> extends never ? never : K]?: Exclude<T[K], Absent>
}

/** Omits properties that are null or undefined, as the API does. */
export function present<T extends object>(members: T): Present<T> {
  const values: Partial<T> = {}
  for (const name in members) {
    const value = members[name]
    if (value !== null && value !== undefined) values[name] = value
  }
  return values as unknown as Present<T>
}

/** Returns the text if it is one of the given words. */
export function findWord<Word extends string>(
  words: readonly Word[],
  text: string | undefined,
): Word | undefined {
  return words.find((word) => word === text)
}
