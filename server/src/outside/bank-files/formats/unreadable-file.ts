/**
 * A bank's file was rejected and has no effect. The message names the problem and its position, without
 * secrets.
 */
export class UnreadableFile extends Error {
  override readonly name: string = 'UnreadableFile'
}

/** An archive was rejected and has no effect. An error in one of its files is an `UnreadableFile`. */
export class UnreadableArchive extends UnreadableFile {
  override readonly name = 'UnreadableArchive'
}

/** A part of a bank's file cannot be read. Readers turn it into an `UnreadPart` and read the rest. */
export class UnreadablePart extends Error {
  override readonly name = 'UnreadablePart'
}

/** The part of a payment that does not fit a format. */
export type PaymentPart = 'account' | 'amount' | 'remittanceInformation'

/** A payment does not fit a format. The message names the field and the reason, for a person. */
export class UnwritablePayment extends Error {
  override readonly name = 'UnwritablePayment'
  readonly part: PaymentPart

  constructor(message: string, part: PaymentPart = 'account') {
    super(message)
    this.part = part
  }
}
