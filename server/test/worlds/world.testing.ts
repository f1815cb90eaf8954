import { inject } from 'vitest'
import { type Mailing, openMailing } from './production/mail.testing.ts'
import { openProduction, type Production } from './production/production.testing.ts'
import { type Options, openServer, type SharedServer } from './server.testing.ts'

/** The servers that test files share, by name. */
export interface Worlds {
  /** A sandbox in this process, for what HTTP does not show. */
  readonly sandbox: SharedServer
  /** A sandbox without a port and without background jobs, for tests that call code and read the database. */
  readonly 'sandbox+quiet': SharedServer
  /** Production at https://pay.example, without rails and without messages. */
  readonly production: SharedServer
  /** Production that sends e-mail and SMS. Its clock stands still, and jobs run only by `advance()`. */
  readonly 'production+mail': Omit<Mailing, 'close'>
  /** Production with the example bank as its rail. The rails belong to `client`, its first platform. */
  readonly 'production+bank': Omit<Production, 'close'>
}

/** The end of the run checks that no secret was logged. */
const LOGGED = { LOG_LEVEL: 'debug' }

const WORLDS: { readonly [Name in keyof Worlds]: () => Promise<Worlds[Name]> } = {
  sandbox: once((shared) => openServer(LOGGED, shared)),
  'sandbox+quiet': once((shared) => openServer(LOGGED, { ...shared, listens: false })),
  production: once((shared) =>
    openServer({ COUNTERSIGN_MODE: 'production', PUBLIC_URL: 'https://pay.example', ...LOGGED }, shared),
  ),
  'production+mail': once((shared) => openMailing(LOGGED, shared)),
  'production+bank': once((shared) => openProduction({}, LOGGED, shared)),
}

function once<Opened>(open: (shared: Options) => Promise<Opened>): () => Promise<Opened> {
  let opened: Promise<Opened> | undefined
  return () => {
    opened ??= open({ sharedIn: inject('worldsFolder') })
    return opened
  }
}

/**
 * A server that the test files of this process share. The first file that asks opens it, and the end of the run removes it. Each test
 * makes its own platform there.
 */
export function world<Name extends keyof Worlds>(name: Name): Promise<Worlds[Name]> {
  return WORLDS[name]()
}
