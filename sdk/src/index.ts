export { Client, type ClientOptions } from './client.ts'
export { Countersign } from './countersign.ts'
export { ConnectionError, CountersignError } from './errors.ts'
export type { Answer, Input, Caller } from './calls.ts'
