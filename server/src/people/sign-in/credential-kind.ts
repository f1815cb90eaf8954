import type { credential_create } from '@countersign/contract/auth/credential-registration'
import type { credential_challenge, credential_verify } from '@countersign/contract/auth/credentials'
import type { BodyOf } from '@countersign/contract/core/endpoint'
import type { Op } from '../../kernel/operation/app.ts'
import type { Approval, Outcome, Prove, ToSign } from '../../kernel/operation/operation.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { CredentialRow, InternalAccountRow } from '../../storage/rows/tables.ts'

export type VerifyBody = BodyOf<typeof credential_verify>
export type CreateBody = BodyOf<typeof credential_create>

/** A new credential: its row, further writes, and the target bundle for a code sent with it. */
export interface Registration {
  readonly credential: CredentialRow
  readonly writes: readonly Write[]
  readonly bundle?: string
}

/** A body of a kind's own type. */
export function ofType<Body extends { readonly type: string }, Type extends Body['type']>(
  body: Body,
  type: Type,
): Extract<Body, { type: Type }> {
  if (!isOfType(body, type)) throw new Error(`A body of type ${body.type} for the kind ${type}`)
  return body
}

function isOfType<Body extends { readonly type: string }, Type extends Body['type']>(
  body: Body,
  type: Type,
): body is Extract<Body, { type: Type }> {
  return body.type === type
}

/**
 * The differences between the kinds of credential (specification 4.1, 4.4, 4.5). The caller has checked that
 * the body is of this kind.
 */
export interface CredentialKind {
  /** Checks a registration and creates the credential. Called at both legs; writes nothing. */
  register(op: Op, account: InternalAccountRow, body: CreateBody): Promise<Registration>
  /** Starts a sign-in. `clientPublicKey` is unchecked, and ignored by kinds that do not use it. */
  challenge(
    op: Op,
    credential: CredentialRow,
    clientPublicKey: unknown,
  ): Promise<Outcome<typeof credential_challenge>>
  /** The payload to sign before the sign-in completes; null if one call is enough. */
  toSign(op: Op, credential: CredentialRow, body: VerifyBody): Promise<ToSign | null>
  /** Checks a proof in the body against the request of its challenge, for kinds with such proofs. */
  prove?(
    op: Op,
    credential: CredentialRow,
    body: VerifyBody,
    request: Parameters<Prove>[0],
  ): ReturnType<Prove>
  /** Finishes the sign-in. */
  signIn(
    op: Op,
    credential: CredentialRow,
    body: VerifyBody,
    approval: Approval | undefined,
  ): Promise<Outcome<typeof credential_verify>>
}
