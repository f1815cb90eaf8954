import { API, type EndpointName } from '@countersign/contract/api'
import { card_processor_event } from '@countersign/contract/cards/card-processor'
import { rail_event } from '@countersign/contract/connectors/rail-events'
import type { Endpoint } from '@countersign/contract/core/endpoint'
import { keysOf } from '@countersign/contract/core/objects'
import { verification_provider_event } from '@countersign/contract/customers/verifications'
import { readBefore } from '@countersign/contract/reads-before'
import { listFile } from '../../kernel/operation/list-file.ts'
import {
  type AnyImplementation,
  findImplementation,
  type Handler,
  type Handlers,
} from '../../kernel/operation/operation.ts'

/** Endpoints outside the API to which external systems report. */
export const REPORTED = { card_processor_event, verification_provider_event, rail_event }

/** The implementations of all endpoints, inside and outside the API. */
export type ServedHandlers = Handlers<typeof API & typeof REPORTED>

/** Returns the implementation of an API endpoint. The CSV file of a list uses the handler of the list. */
export function implement(handlers: ServedHandlers, name: EndpointName): AnyImplementation {
  if (isImplemented(handlers, name)) return findImplementation(handlers, name)
  const list = keysOf(API).find((endpointName) => endpointName === name.replace(/_csv$/, '_list'))
  const { fileRows }: Endpoint = API[name]
  if (fileRows === undefined || list === undefined || !isImplemented(handlers, list))
    throw new Error(`${name} has no handler`)
  return listFile(API[list], fileRows, findImplementation(handlers, list))
}

function isImplemented(
  handlers: ServedHandlers,
  name: EndpointName,
): name is EndpointName & keyof ServedHandlers {
  return Object.hasOwn(handlers, name)
}

/** Returns the handler that reads the record before a call changes it, if the table has one. */
export function findReader(handlers: ServedHandlers, name: string): Handler<Endpoint> | undefined {
  const reader = readBefore(name)
  if (reader === undefined || !isImplemented(handlers, reader)) return undefined
  return handlers[reader] as unknown as Handler<Endpoint>
}
