/** A file of a bank that is not what it should be. The message says what and where, for a person; it has no secrets. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile'
}

/** A payment that a format cannot carry. The message says which member and why, for a person. */
export class UnwritablePayment extends Error {
  override readonly name = 'UnwritablePayment'
}
