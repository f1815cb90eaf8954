/** A bank's file of which nothing may take effect. The message says what is wrong and where, without secrets. */
export class UnreadableFile extends Error {
  override readonly name: string = 'UnreadableFile'
}

/** An archive of which nothing may take effect. A fault of one file in it is an `UnreadableFile`. */
export class UnreadableArchive extends UnreadableFile {
  override readonly name = 'UnreadableArchive'
}

/** One part of a bank's file cannot be read. Readers turn it into an `UnreadPart`, so that the rest is still read. */
export class UnreadablePart extends Error {
  override readonly name = 'UnreadablePart'
}

/** The part of a payment that a format cannot carry. */
export type PaymentPart = 'account' | 'amount' | 'remittanceInformation'

/** A payment that a format cannot carry. The message says which member and why, for a person. */
export class UnwritablePayment extends Error {
  override readonly name = 'UnwritablePayment'
  readonly part: PaymentPart

  constructor(message: string, part: PaymentPart = 'account') {
    super(message)
    this.part = part
  }
}
