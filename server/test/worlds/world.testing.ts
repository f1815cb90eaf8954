import { inject } from 'vitest'
import { type Mailing, openMailing } from './production/mail.testing.ts'
import { openProduction, type Production } from './production/production.testing.ts'
import { type Options, openServer, type SharedServer } from './server.testing.ts'

/** Servers shared by test files, by name. */
export interface Worlds {
  /** A sandbox in this process, for tests that need more than HTTP shows. */
  readonly sandbox: SharedServer
  /** A sandbox without a port and without background jobs, for tests that call code and read the database. */
  readonly 'sandbox+quiet': SharedServer
  /** A production server at https://pay.example, without rails and without message delivery. */
  readonly production: SharedServer
  /**
   * A production server that sends e-mail and SMS. Its clock stands still, and jobs run only when `advance()`
   * is called.
   */
  readonly 'production+mail': Omit<Mailing, 'close'>
  /**
   * A production server with the example bank as its rail. The rails belong to `client`, its first platform.
   */
  readonly 'production+bank': Omit<Production, 'close'>
}

/** The end of the test run checks the log for secrets. */
const LOGGED = { LOG_LEVEL: 'debug' }

const WORLDS: { readonly [Name in keyof Worlds]: () => Promise<Worlds[Name]> } = {
  sandbox: openOnce((shared) => openServer(LOGGED, shared)),
  'sandbox+quiet': openOnce((shared) => openServer(LOGGED, { ...shared, listens: false })),
  production: openOnce((shared) =>
    openServer({ COUNTERSIGN_MODE: 'production', PUBLIC_URL: 'https://pay.example', ...LOGGED }, shared),
  ),
  'production+mail': openOnce((shared) => openMailing(LOGGED, shared)),
  'production+bank': openOnce((shared) => openProduction({}, LOGGED, shared)),
}

function openOnce<Opened>(open: (shared: Options) => Promise<Opened>): () => Promise<Opened> {
  let opened: Promise<Opened> | undefined
  return () => {
    opened ??= open({ sharedIn: inject('worldsFolder') })
    return opened
  }
}

/**
 * Returns a server that the test files of this process share. The first file that asks for it opens it, and
 * it is removed at the end of the run. Each test creates its own platform on it.
 */
export function world<Name extends keyof Worlds>(name: Name): Promise<Worlds[Name]> {
  return WORLDS[name]()
}
