import { SignatureRequiredError } from '@countersign/sdk'

/** Awaits an approval. Throws a readable error if the customer's wallet also has to sign. */
export async function awaitApproval(call: PromiseLike<unknown>): Promise<void> {
  try {
    await call
  } catch (error) {
    if (error instanceof SignatureRequiredError)
      throw new Error(
        "Only the customer's key can move the money in this wallet. Request the customer's signature in your app. Until then, the payment waits here.",
      )
    throw error
  }
}
