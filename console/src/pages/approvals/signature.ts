import { SignatureRequiredError } from '@countersign/sdk'

/** Waits for an approval; says in words where the customer's wallet has to sign as well. */
export async function awaitApproval(call: PromiseLike<unknown>): Promise<void> {
  try {
    await call
  } catch (error) {
    if (error instanceof SignatureRequiredError)
      throw new Error(
        'Only the key of the customer can move the money of this wallet. Have your app ask the customer for a signature. Until then the payment waits here.',
      )
    throw error
  }
}
