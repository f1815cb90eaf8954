import { countersign, getCurrentUser } from '../../countersign'

/**
 * Creates a token for the signed-in user's page. The customer ID comes from the login, never from the page.
 */
export async function POST(): Promise<Response> {
  const user = await getCurrentUser()
  if (!user) return new Response(null, { status: 401 })
  const { accessToken } = await countersign.customerTokens.create({
    customerId: user.customerId,
    permissions: ['VIEW', 'TRANSACT', 'MANAGE'],
  })
  return Response.json({ accessToken })
}
