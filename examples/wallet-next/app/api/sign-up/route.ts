import { cookies } from 'next/headers'
import { countersign, users } from '../../countersign'

/** Creates a customer with a wallet, and signs the user in to this app. */
export async function POST(request: Request): Promise<Response> {
  const form = await request.formData()
  const customer = await countersign.customers.create({
    customerType: 'INDIVIDUAL',
    fullName: String(form.get('fullName')),
    email: String(form.get('email')),
  })
  const query = { customerId: customer.id, type: 'EMBEDDED_WALLET' } as const
  const { data } = await countersign.internalAccounts.list(query)
  const wallet = data[0]
  if (!wallet) return Response.json({ message: 'The customer has no wallet.' }, { status: 500 })
  const cookie = crypto.randomUUID()
  users.set(cookie, { customerId: customer.id, accountId: wallet.id })
  ;(await cookies()).set('app', cookie, { httpOnly: true, sameSite: 'strict', path: '/' })
  return new Response(null, { status: 303, headers: { Location: '/' } })
}
