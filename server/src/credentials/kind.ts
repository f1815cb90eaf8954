import type { credential_create } from '@countersign/contract/credential-registration'
import type { credential_challenge, credential_verify } from '@countersign/contract/credentials'
import type { BodyOf } from '@countersign/contract/endpoint'
import type { Op } from '../app.ts'
import type { CredentialRow, InternalAccountRow } from '../db/schema/tables.ts'
import type { Write } from '../db/writes.ts'
import type { Approval, Authorization, Outcome, Prove } from '../operation.ts'

export type VerifyBody = BodyOf<typeof credential_verify>
export type CreateBody = BodyOf<typeof credential_create>

/** A credential to be registered: its row, what else is to be written, and where to seal a code that goes out with it. */
export interface Registration {
  readonly credential: CredentialRow
  readonly writes: readonly Write[]
  readonly bundle?: string
}

/**
 * What differs between the kinds of credential (specification 4.1, 4.4, 4.5). The body that a kind is given is of its
 * own type: the caller has checked.
 */
export interface CredentialKind {
  /** Checks a registration and makes the credential. Called at both legs; writes nothing. */
  register(op: Op, account: InternalAccountRow, body: CreateBody): Promise<Registration>
  /** Starts a sign-in. `clientPublicKey` is as it was sent, and counts where the kind has a use for it. */
  challenge(
    op: Op,
    credential: CredentialRow,
    clientPublicKey: unknown,
  ): Promise<Outcome<typeof credential_challenge>>
  /** What must be signed to finish the sign-in; null where it takes one call. */
  authorize(op: Op, credential: CredentialRow, body: VerifyBody): Promise<Authorization | null>
  /** Checks a proof in the body against the request of its challenge, where the kind works so. */
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
