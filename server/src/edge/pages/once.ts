/**
 * Makes the value of each name once, at its first request; without names, the only one. Retries after a
 * failure.
 */
export function makeOnce<T>(make: (name: string) => Promise<T>): (name?: string) => Promise<T> {
  const made = new Map<string, Promise<T>>()
  return (name = '') => {
    const known = made.get(name) ?? make(name)
    made.set(name, known)
    known.catch(() => made.delete(name))
    return known
  }
}
