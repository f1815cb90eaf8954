import { availableParallelism } from 'node:os'
import { count, DATABASES, type LoadOptions } from './load-report.ts'
import type { Figure } from './measure.ts'
import { median, ratio, table, whole } from './table.ts'

export type SignInOptions = LoadOptions

const REQUESTS = ['passkey', 'oauth', 'hiding', 'payment'] as const
type Request = (typeof REQUESTS)[number]
type Row = Request | 'verify' | 'sessionKey'
export type SignInFigures = Readonly<Record<Row, Figure[]>>

const NAMES: Readonly<Record<Row, string>> = {
  passkey: 'passkey verify',
  oauth: 'OAuth verify',
  hiding: 'signed retry: hide a balance',
  payment: 'signed retry: execute a quote',
  verify: 'raw P-256 verifications, one core',
  sessionKey: 'session keys made and sealed, one core',
}

export function noSignInFigures(): SignInFigures {
  return { passkey: [], oauth: [], hiding: [], payment: [], verify: [], sessionKey: [] }
}

export function printSignIn(figures: SignInFigures, options: SignInOptions, connections: number): void {
  const of = (row: Row, what: keyof Figure) => median(figures[row].map((figure) => figure[what]))
  const rate = (row: Row) => of(row, 'perSecond')
  const cells = (row: Row): string[] => {
    const rates = figures[row].map(({ perSecond }) => perSecond)
    return [
      NAMES[row],
      whole(rate(row)),
      `${whole(Math.min(...rates))}-${whole(Math.max(...rates))}`,
      ratio(rate(row), rate('verify')),
    ]
  }
  const { database, rounds, seconds } = options
  const isPostgres = database === 'postgres'
  const verifyUs = of('verify', 'mainUs')
  const sessionKeyUs = of('sessionKey', 'mainUs')
  process.stdout.write(`
Signing in and signing, on ${DATABASES[database]}: ${connections} connections, a wallet each, ${count(rounds, 'round')} of ${seconds} s, medians.
Load and server${isPostgres ? ', PostgreSQL too,' : ''} share ${availableParallelism()} cores. Challenges, quotes, assertions, tokens and signatures are made before the timing.

${table([['', 'per second', 'lowest-highest', 'of P-256'], ...[...REQUESTS, 'verify' as const, 'sessionKey' as const].map(cells)])}
Where the time goes, in µs of processor time per request:
${table([
  ['', 'main thread', isPostgres ? 'other threads' : 'database', ...(isPostgres ? ['PostgreSQL'] : [])],
  ...REQUESTS.map((row) => [
    NAMES[row],
    whole(of(row, 'mainUs')),
    whole(of(row, 'othersUs')),
    ...(isPostgres ? [whole(of(row, 'postgresUs'))] : []),
  ]),
])}
  A request is more than a verification: it is HTTP, authentication, reads, and a commit that is on the disk.
  In it a signature takes ${whole(verifyUs)} µs to check; a sign-in also makes and seals a session key, ${whole(sessionKeyUs)} µs.
  The sandbox does not look at the signature of an identity token. Payments settle while later ones are
  executed, on the same cores: the row of the quote holds most of a whole payment.
`)
}
