import { parseArgs } from 'node:util'
import { isKeyOf } from '@countersign/contract/core/objects'
import { messageOf } from '../../base/formats/thrown-errors.ts'
import {
  ADMIN_FORMS,
  type AdminName,
  type CommandForm,
  OFFLINE_FORMS,
  type OfflineName,
  type Values,
} from './forms.ts'

interface Read<Name> {
  readonly name: Name
  readonly values: Values
}

/** Throws a one-line error if the command or an option is unknown. */
export function checkCommand(args: readonly string[]): void {
  if (!readOffline(args)) readCommand(args)
}

/** Parses a command of a service. Throws a one-line error. */
export function readCommand(args: readonly string[]): Read<AdminName> {
  const read = readFrom(ADMIN_FORMS, args)
  if (read) return read
  const all = [...Object.values(ADMIN_FORMS), ...Object.values(OFFLINE_FORMS)]
  throw new Error(`usage: ${all.map(({ usage }) => usage).join(' | ')}`)
}

/** Parses a command that needs no service; undefined for other commands. Throws a one-line error. */
export function readOffline(args: readonly string[]): Read<OfflineName> | undefined {
  return readFrom(OFFLINE_FORMS, args)
}

function readFrom<Name extends string>(
  forms: Readonly<Record<Name, CommandForm>>,
  args: readonly string[],
): Read<Name> | undefined {
  const words = args.slice(0, 2).join(' ')
  if (!isKeyOf(forms, words)) return undefined
  const form = forms[words]
  try {
    const { values } = parseArgs({ args: args.slice(2), options: form.options })
    const missing = form.required.find((name) => !values[name])
    if (missing) throw new Error(`--${missing} is required`)
    const read = values as Values
    form.check?.(read)
    return { name: words, values: read }
  } catch (error) {
    throw new Error(`${messageOf(error)} (usage: ${form.usage})`)
  }
}
