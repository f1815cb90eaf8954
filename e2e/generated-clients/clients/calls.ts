/**
 * The calls that a platform's backend makes in the tested flow. Every generated client makes the same ones.
 */
export type Calls = Records & SignIn & Payments

export interface Records {
  createCustomer(email: string): Promise<string>
  accounts(customerId: string): Promise<readonly Account[]>
  fund(accountId: string, amount: number): Promise<void>
  addBankAccount(customerId: string): Promise<string>
}

export interface SignIn {
  /** Finds the wallet's e-mail credential. */
  findCredential(accountId: string): Promise<string>
  /** Sends a code. Resolves to the key to which the device seals it. */
  challenge(credentialId: string): Promise<string>
  verify(
    credentialId: string,
    encryptedOtpBundle: string,
    signed?: SignatureHeaders,
  ): Promise<SignedCallResult>
}

export interface Payments {
  quote(from: string, to: string, amount: number): Promise<QuoteResult>
  execute(quoteId: string, idempotencyKey: string, signed?: SignatureHeaders): Promise<SignedCallResult>
  /** Resolves to the transaction's id. */
  transferOut(from: string, to: string, amount: number): Promise<string>
  transactionStatus(transactionId: string): Promise<string>
}

export interface Account {
  readonly id: string
  readonly type: string
  readonly currency: string
}

export interface QuoteResult {
  readonly id: string
  readonly transactionId: string
  /** A property whose name contains the wire word. */
  readonly fixedFee: number | undefined
}

/** Headers of the second call of a signed operation. */
export interface SignatureHeaders {
  readonly signature: string
  readonly requestId: string
}

/** A 202 asks for a signature. */
export type SignedCallResult =
  | { readonly status: 200; readonly state: string }
  | { readonly status: 202; readonly payloadToSign: string; readonly requestId: string }

export interface Connection {
  readonly baseUrl: string
  readonly tokenId: string
  readonly clientSecret: string
}

/** Exported by each client's file. */
export type Connect = (connection: Connection) => Calls

export function formatBasicCredentials({ tokenId, clientSecret }: Connection): string {
  return `Basic ${btoa(`${tokenId}:${clientSecret}`)}`
}

/** Returns a response body, and fails if it is missing. */
export function requireBody<T>(body: T | undefined, what: unknown): T {
  if (body === undefined) throw new Error(JSON.stringify(what))
  return body
}

export const BANK = {
  currency: 'USD',
  accountInfo: {
    accountType: 'USD_ACCOUNT',
    accountNumber: '000123456789',
    routingNumber: '021000021',
    beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Lovelace' },
  },
} as const
