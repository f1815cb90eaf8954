import type { credential_create } from '@countersign/contract/auth/credential-registration'
import type { credential_challenge, credential_verify } from '@countersign/contract/auth/credentials'
import type { BodyOf } from '@countersign/contract/core/endpoint'
import type { Op } from '../../kernel/operation/app.ts'
import type { Approval, Outcome, Prove, ToSign } from '../../kernel/operation/operation.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { CredentialRow, InternalAccountRow } from '../../storage/rows/tables.ts'

export type VerifyBody = BodyOf<typeof credential_verify>
export type CreateBody = BodyOf<typeof credential_create>

/** A new credential with its writes, and the target bundle of its first code. */
export interface Registration {
  readonly credential: CredentialRow
  readonly writes: readonly Write[]
  readonly bundle?: string
}

/** Narrows a request body to the type of its kind. Throws if it is of another kind. */
export function narrowBody<Body extends { readonly type: string }, Type extends Body['type']>(
  body: Body,
  type: Type,
): Extract<Body, { type: Type }> {
  if (!isOfType(body, type)) throw new Error(`Expected a body of type ${type}, not ${body.type}`)
  return body
}

function isOfType<Body extends { readonly type: string }, Type extends Body['type']>(
  body: Body,
  type: Type,
): body is Extract<Body, { type: Type }> {
  return body.type === type
}

/**
 * The differences between kinds of credential (specification 4.1, 4.4, 4.5). The caller must have checked
 * that the body is of this kind.
 */
export interface CredentialKind {
  /**
   * Checks a registration and creates the credential. Called for the first call and for the signed retry;
   * writes nothing.
   */
  register(op: Op, account: InternalAccountRow, body: CreateBody): Promise<Registration>
  /** Starts signing in. `clientPublicKey` is unchecked; kinds that do not need it ignore it. */
  challenge(
    op: Op,
    credential: CredentialRow,
    clientPublicKey: unknown,
  ): Promise<Outcome<typeof credential_challenge>>
  /** The payload to sign before signing in completes; null if a single call is enough. */
  toSign(op: Op, credential: CredentialRow, body: VerifyBody): Promise<ToSign | null>
  /** Checks the proof in the body against its signing request. Only for kinds that use such proofs. */
  prove?(
    op: Op,
    credential: CredentialRow,
    body: VerifyBody,
    request: Parameters<Prove>[0],
  ): ReturnType<Prove>
  /** Completes signing in. */
  signIn(
    op: Op,
    credential: CredentialRow,
    body: VerifyBody,
    approval: Approval | undefined,
  ): Promise<Outcome<typeof credential_verify>>
}
