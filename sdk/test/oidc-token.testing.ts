/** An ID token that the sandbox accepts: of the right shape and age, its signature unchecked (specification 5.5). */
export function makeOidcToken(claims: Readonly<Record<string, unknown>>, now = new Date()): string {
  const seconds = Math.floor(now.getTime() / 1000)
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const header = { alg: 'RS256', typ: 'JWT', kid: 'sandbox' }
  const payload = {
    iss: 'https://accounts.google.com',
    aud: 'app.example.com',
    sub: '1234567890',
    email: 'ada@example.com',
    iat: seconds,
    exp: seconds + 300,
    ...claims,
  }
  return `${part(header)}.${part(payload)}.${Buffer.from('unchecked').toString('base64url')}`
}
