/** A command option, `--name VALUE` in the server program. */
export interface OperatorOption {
  readonly description: string
  /** A placeholder for the value in usage and help. Absent for a flag. */
  readonly value?: string
  /** With `'cli'`, only `countersign` requires the option. */
  readonly required?: true | 'cli'
  /** True if it is a positional argument of `countersign`. */
  readonly isArgument?: true
  /** The option's name in `countersign`, if different. */
  readonly cliName?: string
  /** True for a path, which may be relative to the working directory of `countersign`. */
  readonly isPath?: true
}

/**
 * An operator command, which works on the server's database. The key is the command's name in the server
 * program.
 */
export interface OperatorCommand {
  /**
   * The command's name in `countersign`. Absent if that program does not have it. If two commands have the
   * same name, the one whose required options are given is run.
   */
  readonly cli?: string
  readonly description: string
  readonly options?: Readonly<Record<string, OperatorOption>>
  /** Asked for confirmation if the command cannot be undone. `{name}` stands for the value of an option. */
  readonly question?: string
}

/** The first words of commands, with their descriptions, and their plural or singular form as an alias. */
export const OPERATOR_NOUNS: Readonly<
  Record<string, { readonly description: string; readonly alias?: string }>
> = {
  platform: { description: 'platforms of this server', alias: 'platforms' },
  'master-key': { description: 'the key that seals all secrets of the database' },
  token: { description: 'API tokens', alias: 'tokens' },
  wallet: { description: 'embedded wallets, for the operator', alias: 'wallets' },
  verification: { description: 'decide customer verifications, as the operator', alias: 'verifications' },
  rails: { description: 'the rails of RAILS_FILE', alias: 'rail' },
  'bank-files': { description: 'files of banks', alias: 'bank-file' },
  upgrade: { description: 'upgrades of several servers on one database' },
  cell: { description: 'cells: schemas of one database with separate servers', alias: 'cells' },
  archive: { description: 'archive files with the events, deliveries and audit trail of past months' },
}

const PLATFORM = { value: 'ID', description: 'the platform, Platform:…', required: true } as const
const PERMISSIONS_OPTION = {
  value: 'LIST',
  description: 'any of VIEW, TRANSACT, MANAGE, APPROVE, REVIEW, separated by commas',
} as const
const VERIFICATION = {
  value: 'ID',
  description: 'the verification, Verification:…',
  required: true,
  isArgument: true,
} as const

/** Commands that work on the service's own database. If the server is running, it executes them. */
export const SERVICE_FORMS = {
  'platform create': {
    cli: 'platform create',
    description: 'create a platform and show its first token once',
    options: {
      name: { value: 'NAME', description: 'name of the platform', required: true },
      regulated: {
        description:
          "the platform verifies its customers' identity itself: in production they are approved from the start",
      },
    },
  },
  'platform list': { cli: 'platform list', description: 'list the platforms' },
  'token create': {
    cli: 'token create',
    description: 'create a token for a platform and show it once',
    options: {
      platform: PLATFORM,
      name: { value: 'NAME', description: 'name of the token', required: true },
      permissions: { ...PERMISSIONS_OPTION, required: 'cli' },
    },
  },
  'token list': {
    cli: 'token list',
    description: 'list the tokens of a platform, without their secrets',
    options: { platform: PLATFORM },
  },
  'token revoke': {
    cli: 'token revoke',
    description: 'revoke a token immediately',
    options: { token: { value: 'ID', description: 'the token, Token:…', required: true, isArgument: true } },
    question: 'Revoke {token} permanently?',
  },
  'member invite': {
    description: 'invite a team member to a platform',
    options: {
      platform: PLATFORM,
      name: { value: 'NAME', description: 'name of the person', required: true },
      email: { value: 'ADDRESS', description: 'receives the invitation', required: true },
      permissions: PERMISSIONS_OPTION,
    },
  },
  'wallet unlock': {
    cli: 'wallet unlock',
    description: 'unlock sign-in by code to a wallet after 100 wrong codes',
    options: {
      account: {
        value: 'ID',
        description: 'the wallet, InternalAccount:…',
        required: true,
        isArgument: true,
      },
    },
  },
  'verification list': {
    cli: 'verification list',
    description: 'list the verifications of all platforms that wait for a decision',
    options: { status: { value: 'STATUS', description: 'another status, like RESOLVE_ERRORS' } },
  },
  'verification decide': {
    cli: 'verification decide',
    description: 'approve or reject a customer',
    options: {
      verification: VERIFICATION,
      decision: { value: 'DECISION', description: 'APPROVE or REJECT', required: true, isArgument: true },
      reason: { value: 'TEXT', description: 'the reason; required for REJECT, and shown to the platform' },
    },
  },
  'verification reopen': {
    cli: 'verification reopen',
    description: 'reopen a rejected verification',
    options: {
      verification: VERIFICATION,
      reason: { value: 'TEXT', description: 'the reason; stored with the decision', required: true },
    },
  },
  'rails list': {
    cli: 'rails list',
    description: 'print the routing table: a payment goes to the first rail that matches',
  },
  'rails check': {
    cli: 'rails check',
    description:
      'call each rail with a signed request and print the result; the exit code is 1 if a check fails',
    options: { rail: { value: 'NAME', description: 'only this rail' } },
  },
  'bank-files retry': {
    cli: 'bank-files retry',
    description:
      'read refused files again, for example after an upgrade; the exit code is 1 if a file is missing',
    options: {
      rail: { value: 'NAME', description: 'only files of this rail' },
      file: { value: 'NAME', description: 'only files with this name' },
    },
  },
  'reconciliation run': {
    cli: 'reconcile',
    description: 'reconcile the statements of rails with the books; the exit code is 1 if they differ',
    options: {
      rail: { value: 'NAME', description: 'one rail (default: all)' },
      date: {
        value: 'DATE',
        description: 'the day of the statements, like 2026-03-01 (default: the last that ended)',
      },
    },
  },
  'reconciliation book': {
    cli: 'reconcile',
    description: 'book an entry that is UNEXPLAINED',
    options: {
      entry: {
        value: 'ENTRY',
        description: 'book an entry that is UNEXPLAINED, StatementEntry:…; requires --as',
        required: true,
        cliName: 'book',
      },
      as: {
        value: 'ACCOUNT',
        description: 'fx: a currency trade at the bank; costs: a charge or a payment of the bank',
        required: true,
      },
    },
  },
  'upgrade status': { cli: 'upgrade status', description: 'show the remaining steps of this upgrade' },
  'upgrade finish': {
    cli: 'upgrade finish',
    description:
      'finish the upgrade, once no server of the previous release runs; that release cannot run afterwards',
    options: { force: { description: 'even if servers of another release seem to be connected' } },
  },
  'cell list': {
    cli: 'cell list',
    description: 'list the cells of the database; * marks the one of DATABASE_SCHEMA',
  },
  'cell check': {
    cli: 'cell check',
    description: 'check the cell of DATABASE_SCHEMA; the exit code is 1 if something is wrong',
  },
  'cell map': {
    cli: 'cell map',
    description: 'print the API tokens of the cell as a map for HAProxy',
    options: { backend: { value: 'NAME', description: 'the backend of HAProxy (default: DATABASE_SCHEMA)' } },
  },
  'books verify': {
    cli: 'verify',
    description:
      'check the whole ledger, its hash chain and its checkpoints; the exit code is 1 if something is wrong',
    options: {
      checkpoints: {
        value: 'FILE',
        description: 'checkpoints stored elsewhere, one JSON object per line',
        isPath: true,
      },
    },
  },
  'books checkpoint': {
    cli: 'checkpoint',
    description: 'sign a checkpoint over all transfers that have ended',
  },
  'backup make': {
    cli: 'backup',
    description:
      'copy the embedded database and the uploaded files into a new folder, while the server keeps running; with PostgreSQL, without a folder, check that its log is archived',
    options: {
      to: {
        value: 'FOLDER',
        description: 'the folder for the backup',
        required: true,
        isArgument: true,
        isPath: true,
      },
    },
  },
  'backup check': { cli: 'backup', description: 'check that the log of PostgreSQL is archived' },
  'archive make': {
    cli: 'archive make',
    description: 'write whole months to files and remove them from the database',
    options: {
      before: {
        value: 'MONTH',
        description: 'the first month to keep, like 2026-03; the last three are always kept',
        required: true,
      },
      to: {
        value: 'FOLDER',
        description: 'the folder for the files',
        required: true,
        isArgument: true,
        isPath: true,
      },
    },
  },
  'archive list': { cli: 'archive list', description: 'list the archive files' },
  'archive check': {
    cli: 'archive check',
    description:
      'compare the files with their recorded hashes; the exit code is 1 if one is missing or has changed',
    options: {
      in: {
        value: 'FOLDER',
        description: 'the folder of the files',
        required: true,
        isArgument: true,
        isPath: true,
      },
    },
  },
} as const satisfies Readonly<Record<string, OperatorCommand>>

/** Commands that work without a service, on keys or on databases that no service can open. */
export const OFFLINE_FORMS = {
  'master-key rotate': {
    cli: 'master-key rotate',
    description: 'replace COUNTERSIGN_MASTER_KEY with COUNTERSIGN_NEW_MASTER_KEY',
  },
  'backup restore': {
    cli: 'restore',
    description: 'restore a backup into an empty data directory, after checking each of its files',
    options: {
      from: { value: 'FOLDER', description: 'the backup', required: true, isArgument: true, isPath: true },
    },
  },
  'database move': {
    cli: 'migrate',
    description: 'move the embedded database of a data directory to an empty PostgreSQL database',
    options: {
      from: {
        value: 'FOLDER',
        description: 'the data directory; no server runs on it',
        required: true,
        isPath: true,
      },
      to: { value: 'URL', description: 'the database, postgres://… (default: DATABASE_URL)' },
    },
  },
} as const satisfies Readonly<Record<string, OperatorCommand>>

export type ServiceCommand = keyof typeof SERVICE_FORMS
export type OfflineCommand = keyof typeof OFFLINE_FORMS
