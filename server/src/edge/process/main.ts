import { getErrorMessage } from '../../base/formats/thrown-errors.ts'
import { listSettingWarnings } from '../../base/settings/known-settings.ts'
import { checkCommand } from '../commands/arguments.ts'

const args = process.argv.slice(2)

for (const warning of listSettingWarnings(process.env)) process.stderr.write(`countersign: ${warning}\n`)

try {
  // Rejects mistyped commands before their code is loaded.
  if (args.length > 0) checkCommand(args)
  const { readConfig } = await import('../../base/settings/config.ts')
  const config = readConfig(process.env)
  if (args.length === 0) {
    const { serve } = await import('./serve.ts')
    await serve(config)
  } else {
    const { runAdmin } = await import('../commands/admin.ts')
    process.stdout.write(`${JSON.stringify(await runAdmin(config, args))}\n`)
  }
} catch (error) {
  // Prints the stack only at debug level, because the operator can fix most errors.
  process.stderr.write(`countersign: ${getErrorMessage(error)}\n`)
  if (process.env.LOG_LEVEL === 'debug' && error instanceof Error) process.stderr.write(`${error.stack}\n`)
  process.exitCode = 1
}
