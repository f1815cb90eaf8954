/** A bank's file that has no effect. The message names the problem and its place, without secrets. */
export class UnreadableFile extends Error {
  override readonly name: string = 'UnreadableFile'
}

/** An archive that has no effect. An error in one of its files is an `UnreadableFile`. */
export class UnreadableArchive extends UnreadableFile {
  override readonly name = 'UnreadableArchive'
}

/**
 * One part of a bank's file cannot be read. Readers turn it into an `UnreadPart`, so that the rest is still
 * read.
 */
export class UnreadablePart extends Error {
  override readonly name = 'UnreadablePart'
}

/** The part of a payment that a format cannot carry. */
export type PaymentPart = 'account' | 'amount' | 'remittanceInformation'

/** A payment that a format cannot carry. The message names the field and the reason, for a person. */
export class UnwritablePayment extends Error {
  override readonly name = 'UnwritablePayment'
  readonly part: PaymentPart

  constructor(message: string, part: PaymentPart = 'account') {
    super(message)
    this.part = part
  }
}
