/**
 * Computes the value for each name once, on first request. Without a name there is a single value. Failures
 * are not cached.
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
