/**
 * Makes the value of each name once, at its first request; without names, the only one. Retries after a
 * failure.
 */
export function makeOnce<T>(make: (name: string) => Promise<T>): (name?: string) => Promise<T> {
  const results = new Map<string, Promise<T>>()
  return (name = '') => {
    const result = results.get(name) ?? make(name)
    results.set(name, result)
    result.catch(() => results.delete(name))
    return result
  }
}
