/** Splits a path of the console, such as `/approvals?kind=DEPOSIT`, for links and `navigate`. */
export function toLinkTarget(address: string) {
  const [to = '/', query = ''] = address.split('?', 2)
  // The cast is safe because the target page validates its own query parameters.
  return { to, search: Object.fromEntries(new URLSearchParams(query)) as never }
}
