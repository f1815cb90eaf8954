import { SignatureRequiredError } from '@countersign/sdk'

/** Waits for an approval; says in words where the customer's wallet has to sign as well. */
export async function awaitApproval(call: PromiseLike<unknown>): Promise<void> {
  try {
    await call
  } catch (error) {
    if (error instanceof SignatureRequiredError)
      throw new Error(
        'The money is in a wallet that only the customer’s own key can move. Nobody of the platform can sign for the customer: have your app ask for the signature. Until then the payment waits here.',
      )
    throw error
  }
}
