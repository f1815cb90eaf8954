import { BASE_URL, countersign, getCurrentUser } from './countersign'
import { WalletPage } from './wallet-page'

// Rendered per request, because the page depends on the user.
export const dynamic = 'force-dynamic'

export default async function Page() {
  const user = await getCurrentUser()
  if (!user)
    return (
      <form action="/api/sign-up" method="post">
        <h1>Sign up</h1>
        <label>
          Your name <input name="fullName" autoComplete="name" required />
        </label>
        <label>
          Your e-mail address <input name="email" type="email" autoComplete="email" required />
        </label>
        <button type="submit">Sign up</button>
      </form>
    )
  const quorumPublicKey = await countersign.quorumPublicKey()
  return <WalletPage baseUrl={BASE_URL} quorumPublicKey={quorumPublicKey} {...user} />
}
