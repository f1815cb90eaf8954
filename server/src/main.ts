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
  // What an operator can put right is one line; the cause of anything else helps whoever looks for it.
  process.stderr.write(`countersign: ${messageOf(error)}\n`)
  if (process.env.LOG_LEVEL === 'debug' && error instanceof Error) process.stderr.write(`${error.stack}\n`)
  process.exitCode = 1
}
