import { runAdmin } from './admin/admin.ts'
import { messageOf } from './formats/thrown.ts'
import { serve } from './serve.ts'
import { readConfig } from './settings/config.ts'
import { settingWarnings } from './settings/known.ts'

const [command, ...rest] = process.argv.slice(2)

for (const warning of settingWarnings(process.env)) process.stderr.write(`countersign: ${warning}\n`)

try {
  const config = readConfig(process.env)
  if (command === undefined) await serve(config)
  else process.stdout.write(`${JSON.stringify(await runAdmin(config, [command, ...rest]))}\n`)
} catch (error) {
  // An error that the operator can fix is one line; any other is printed with its stack.
  process.stderr.write(`countersign: ${messageOf(error)}\n`)
  if (process.env.LOG_LEVEL === 'debug' && error instanceof Error) process.stderr.write(`${error.stack}\n`)
  process.exitCode = 1
}
