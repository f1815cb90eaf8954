/**
 * Computes the value of each name once, on first request; without a name, there is just one value. A failure
 * is not cached.
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
