import { isObject, type JsonSchema } from '@countersign/contract/core/decode'
import type { Endpoint } from '@countersign/contract/core/endpoint'
import type { TSchema } from 'typebox'
import { toCanonicalJson } from '../../../base/json/json.ts'
import { hashRequest, type KeyedRequest } from '../../../kernel/idempotency/stored-responses.ts'
import type { Op } from '../../../kernel/operation/app.ts'
import { ApiError, createFieldError } from '../../../kernel/operation/operation.ts'
import { FIRST_KEY } from '../../../kernel/ports/enclave.ts'

function createKeyReusedError(): ApiError {
  return new ApiError('IDEMPOTENCY_KEY_REUSED', { details: { header: 'Idempotency-Key' } })
}

/**
 * Parses the idempotency key header if the endpoint accepts one. A key is 1 to 255 printable ASCII
 * characters, scoped to method, path and caller (platform, team member, agent, customer or verification
 * page).
 */
export function readKeyedRequest(
  op: Op,
  {
    idempotent,
    isResponseSecret: isSecret = false,
    body: schema,
  }: Pick<Endpoint, 'idempotent' | 'isResponseSecret' | 'body'>,
  header: string | undefined,
  target: string,
  body: unknown,
): KeyedRequest | undefined {
  if (!idempotent) return undefined
  if (header === undefined && idempotent === 'required')
    throw createFieldError('INVALID_INPUT', 'Idempotency-Key', 'The Idempotency-Key header is required.')
  if (header === undefined) return undefined
  if (!/^[\x20-\x7e]{1,255}$/.test(header))
    throw createFieldError(
      'INVALID_INPUT',
      'Idempotency-Key',
      'Idempotency-Key must be 1 to 255 printable ASCII characters.',
    )
  return {
    scope: `${getCallerScope(op)} ${target}`,
    key: header,
    requestHash: hashRequest(withoutSecrets(op, schema, body)),
    isSecret,
    conflict: createKeyReusedError,
  }
}

/**
 * Replaces each secret (`writeOnly`) in the body with a keyed digest, so that secrets cannot be guessed from
 * the stored hash. The digest uses the first data key, so that replays are recognized after a key rotation.
 */
function withoutSecrets(op: Op, schema: TSchema | undefined, body: unknown): unknown {
  const { properties = {} }: JsonSchema = schema ?? {}
  const secrets = Object.entries(properties)
    .filter(([, property]) => 'writeOnly' in property)
    .map(([name]) => name)
  if (secrets.length === 0 || !isObject(body)) return body
  const digestJson = (value: unknown) =>
    Buffer.from(op.enclave.mac('idempotency', toCanonicalJson(value ?? null), FIRST_KEY)).toString('hex')
  return { ...body, ...Object.fromEntries(secrets.map((name) => [name, digestJson(body[name])])) }
}

function getCallerScope({ platform, actor }: Op): string {
  if (actor.kind === 'agent') return `${platform.id} ${actor.agentId}`
  if (actor.kind === 'customer') return `${platform.id} ${actor.customerId}`
  if (actor.kind === 'member') return `${platform.id} ${actor.memberId}`
  return actor.kind === 'kycLink' ? `${platform.id} ${actor.linkId}` : platform.id
}
