export function unverifiedContacts(_: unknown): ('email' | 'phone')[] {
  return []
}
