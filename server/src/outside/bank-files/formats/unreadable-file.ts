/**
 * A bank's file was refused and has no effect. The message is a predicate of the file, such as `has no
 * message`, or of a line, without secrets.
 */
export class UnreadableFile extends Error {
  override readonly name: string = 'UnreadableFile'
}

/** An archive was refused and has no effect. An error in one of its files is an `UnreadableFile`. */
export class UnreadableArchive extends UnreadableFile {
  override readonly name = 'UnreadableArchive'
}

/** A part of a bank's file cannot be read. Readers turn it into an `UnreadPart` and read the rest. */
export class UnreadablePart extends Error {
  override readonly name = 'UnreadablePart'
}

/** The part of a payment that a format cannot carry. */
export type PaymentPart = 'account' | 'amount' | 'remittanceInformation'

/**
 * A format cannot carry a payment. The message is a clause that names the field and the reason for a person.
 */
export class UnwritablePayment extends Error {
  override readonly name = 'UnwritablePayment'
  readonly part: PaymentPart

  constructor(message: string, part: PaymentPart = 'account') {
    super(message)
    this.part = part
  }
}
