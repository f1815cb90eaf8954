import type { ServiceCommand } from '@countersign/contract/operation/operator-commands'
import type { App } from '../../kernel/operation/app.ts'
import type { Values } from './forms.ts'

/** Runs a command and returns the value to print as JSON. Throws a one-line error. */
export type RunCommand = (app: App, values: Values, baseUrl: string) => Promise<object>

/** A group of the operator's commands, by name. */
export type AdminCommands = Partial<Readonly<Record<ServiceCommand, RunCommand>>>
