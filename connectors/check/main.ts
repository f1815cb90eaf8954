import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { parseAccounts } from './kit/accounts.ts'
import { formatResult, formatSummary, type Result } from './kit/report.ts'
import { checkConnector } from './run.ts'

const USAGE = `Usage: npm run connector:check -- URL [options]

Runs the connector protocol test suite against the connector at URL and reports what fails; exits with 1 if anything does.

  --secret-env NAME   the variable with one or two secrets (whsec_…), separated by a space, the current one first
                      (default EXAMPLE_BANK_SECRET)
  --accounts FILE     the accounts that provoke each outcome (default: the example bank's)
  --events-port N     the port for the connector's events, on any path that ends with the rail's name; if absent,
                      events are not checked
  --events-host HOST  the address to listen on for events (default 127.0.0.1)
  --wait SECONDS      time limit for an outcome or an event (default 20)
  --grace MS          time to wait for a second payment that must not happen (default 500)
  --group NAME        runs only this group of checks; may be repeated`

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      'secret-env': { type: 'string', default: 'EXAMPLE_BANK_SECRET' },
      accounts: { type: 'string' },
      'events-port': { type: 'string' },
      'events-host': { type: 'string', default: '127.0.0.1' },
      wait: { type: 'string', default: '20' },
      grace: { type: 'string', default: '500' },
      group: { type: 'string', multiple: true },
      help: { type: 'boolean' },
    },
  })
  const [url, ...extraArguments] = positionals
  if (values.help || url === undefined || extraArguments.length > 0) throw new Error(USAGE)
  const name = values['secret-env']
  const secrets = (process.env[name] ?? '').split(/[\s,]+/).filter((secret) => secret !== '')
  if (secrets.length === 0)
    throw new Error(`${name} is not set. Set it to the secret that you share with the connector.`)
  const accounts =
    values.accounts === undefined ? undefined : parseAccounts(await readFile(values.accounts, 'utf8'))
  const results = await checkConnector({
    url,
    secrets,
    waitMs: Number(values.wait) * 1000,
    graceMs: Number(values.grace),
    eventsHost: values['events-host'],
    onResult: createPrinter(),
    ...(accounts ? { accounts } : {}),
    ...(values['events-port'] === undefined ? {} : { eventsPort: Number(values['events-port']) }),
    ...(values.group === undefined ? {} : { groups: values.group }),
  })
  process.stdout.write(`\n${formatSummary(results)}\n`)
  return results.length === 0 || results.some(({ verdict }) => verdict === 'fail') ? 1 : 0
}

/** Prints each result as it arrives, under the name of its group. */
function createPrinter(): (result: Result) => void {
  let group = ''
  return (result) => {
    if (result.group !== group) process.stdout.write(`\n${result.group}\n`)
    group = result.group
    process.stdout.write(`${formatResult(result)}\n`)
  }
}

main().then(
  (code) => {
    process.exitCode = code
  },
  (error: Error) => {
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  },
)
