/** An address of the console, `/approvals?kind=DEPOSIT`, as links and `navigate` take it. */
export function targetOf(address: string) {
  const [to = '/', query = ''] = address.split('?', 2)
  // The page that it leads to reads its own search, whatever the address holds.
  return { to, search: Object.fromEntries(new URLSearchParams(query)) as never }
}
