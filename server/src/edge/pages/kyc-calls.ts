import { API } from '@countersign/contract/api'
import type { Endpoint } from '@countersign/contract/core/endpoint'
import { buildTable } from '@countersign/contract/core/objects'
import { toJson } from '../../base/json/json.ts'
import type { App } from '../../kernel/operation/app.ts'
import { toCanonicalPath } from '../../kernel/operation/base-path.ts'
import { findImplementation, type Handlers } from '../../kernel/operation/operation.ts'
import type { UsedLink } from '../../people/kyc/kyc-links.ts'
import type { Fault } from '../../people/kyc/page/form.ts'
import { createPipeline, type PipelineOptions } from '../http/pipeline/pipeline.ts'
import { isHttpResponse } from '../http/request/call.ts'
import type { ReadForm } from '../http/request/form.ts'
import type { Trace } from '../http/request/trace.ts'

/** API calls that the verification page makes on behalf of the platform. */
const CALLS = [
  'customer_update',
  'beneficial_owner_create',
  'beneficial_owner_update',
  'document_create',
  'document_replace',
  'document_delete',
  'verification_create',
] as const

type CallName = (typeof CALLS)[number]

export interface KycCall {
  readonly params?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly readForm?: ReadForm
  /** The idempotency key, so that a form submitted twice counts as one request. */
  readonly key?: string | undefined
}

/** The response to a call, or the error. */
export type KycOutcome =
  | { readonly isDone: true; readonly body: unknown }
  | { readonly isDone: false; readonly status: number; readonly faults: readonly Fault[] }

/** Makes a call as the customer of a link, who can access nothing else on the platform. Never throws. */
export type KycCalls = (
  name: CallName,
  used: UsedLink,
  from: { readonly address: string; readonly userAgent: string | undefined; readonly trace: Trace },
  call: KycCall,
) => Promise<KycOutcome>

/** Creates the calls of the page. They use the same pipelines as API calls. */
export function createKycCalls(
  app: App,
  handlers: Handlers<Pick<typeof API, CallName>>,
  getOptions: (name: CallName) => PipelineOptions,
): KycCalls {
  const pipelines = buildTable(CALLS, (name) =>
    createPipeline(app, name, API[name], findImplementation(handlers, name), getOptions(name)),
  )
  return async (name, { op }, { address, userAgent, trace }, { params = {}, body, readForm, key }) => {
    const endpoint: Endpoint = API[name]
    const call = {
      params,
      authorization: undefined,
      address,
      userAgent,
      trace,
      method: endpoint.method,
      path: toCanonicalPath(endpoint, params),
      query: {},
      body: body === undefined ? undefined : Buffer.from(toJson(body)),
      headers: {},
      idempotencyKey: key,
      signature: undefined,
      requestId: undefined,
      ...(readForm ? { readForm } : {}),
    }
    const response = await pipelines[name].answer(call, { platform: op.platform, actor: op.actor })
    if (!isHttpResponse(response)) throw new Error(`${name} returned no response`)
    const parsedBody: unknown = response.body === '' ? undefined : JSON.parse(response.body)
    if (response.status < 400) return { isDone: true, body: parsedBody }
    return { isDone: false, status: response.status, faults: listFaults(parsedBody as Refusal) }
  }
}

interface Refusal {
  readonly message: string
  readonly details?: {
    readonly field?: string
    readonly header?: string
    readonly errors?: readonly Fault[]
  }
}

function listFaults({ message, details = {} }: Refusal): readonly Fault[] {
  if (details.header !== undefined)
    return [
      {
        field: '',
        message: 'This form was already submitted. Check whether it was accepted; if not, submit it again.',
      },
    ]
  return details.errors ?? [{ field: details.field ?? '', message }]
}
