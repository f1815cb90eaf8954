import { SignatureRequiredError } from '@countersign/sdk'

/** Waits for an approval; throws a readable error if the customer's wallet must also sign. */
export async function awaitApproval(call: PromiseLike<unknown>): Promise<void> {
  try {
    await call
  } catch (error) {
    if (error instanceof SignatureRequiredError)
      throw new Error(
        'Only the key of the customer can move the money of this wallet. Request the signature of the customer in your app. Until then the payment waits here.',
      )
    throw error
  }
}
