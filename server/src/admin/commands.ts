import type { ParseArgsConfig } from 'node:util'
import { unlockCodes } from '../credentials/code-failures.ts'
import type { App } from '../op/app.ts'
import { listPlatforms } from '../platforms/platforms.ts'
import { createPlatform, createToken, defaultPermissions, revokeToken } from '../service/first-platform.ts'
import { listTokens } from '../tokens/tokens.ts'
import { ARCHIVE_COMMANDS } from './archive-commands.ts'
import { BACKUP_COMMANDS } from './backup-commands.ts'
import { BOOK_COMMANDS } from './book-commands.ts'
import { MEMBER_COMMANDS } from './member-commands.ts'
import { readPermissions } from './permissions.ts'
import { RAIL_COMMANDS } from './rail-commands.ts'
import { RECONCILIATION_COMMANDS } from './reconciliation-commands.ts'
import { UPGRADE_COMMANDS } from './upgrade-commands.ts'
import { VERIFICATION_COMMANDS } from './verification-commands.ts'

export type Values = Readonly<Record<string, string | boolean | undefined>>

/** What a command is given. */
export interface CommandForm {
  readonly usage: string
  readonly options: NonNullable<ParseArgsConfig['options']>
  readonly required: readonly string[]
  /** Checks what can be checked without a service. Throws an error of one line. */
  readonly check?: (values: Values) => void
}

/** An operator's command that works on the service's own database, in the running server where there is one. */
export interface AdminCommand extends CommandForm {
  /** Returns what the program prints as JSON. Throws an error of one line. */
  run(app: App, values: Values, baseUrl: string): Promise<object>
}

/** Commands by name. */
export const ADMIN_COMMANDS: Readonly<Record<string, AdminCommand>> = {
  'platform create': {
    usage: 'platform create --name NAME [--regulated]',
    options: { name: { type: 'string' }, regulated: { type: 'boolean' } },
    required: ['name'],
    run: async (app, { name, regulated }, baseUrl) => ({
      ...(await createPlatform(app, String(name), regulated === true)),
      baseUrl,
    }),
  },
  'platform list': {
    usage: 'platform list',
    options: {},
    required: [],
    run: async (app) => ({ data: await listPlatforms(app.read) }),
  },
  'token create': {
    usage: 'token create --platform ID --name NAME [--permissions VIEW,TRANSACT,MANAGE,APPROVE,REVIEW]',
    options: { name: { type: 'string' }, platform: { type: 'string' }, permissions: { type: 'string' } },
    required: ['platform', 'name'],
    check: ({ permissions }) => void readPermissions(permissions),
    run: async (app, { platform, name, permissions }, baseUrl) => {
      const granted = readPermissions(permissions) ?? defaultPermissions(app)
      return { ...(await createToken(app, String(platform), String(name), granted)), baseUrl }
    },
  },
  'token list': {
    usage: 'token list --platform ID',
    options: { platform: { type: 'string' } },
    required: ['platform'],
    run: async (app, { platform }) => ({ data: await listTokens(app.read, String(platform)) }),
  },
  'token revoke': {
    usage: 'token revoke --token ID',
    options: { token: { type: 'string' } },
    required: ['token'],
    run: async (app, { token }) => {
      await revokeToken(app, String(token))
      return { revoked: String(token) }
    },
  },
  ...MEMBER_COMMANDS,
  ...VERIFICATION_COMMANDS,
  ...RAIL_COMMANDS,
  ...RECONCILIATION_COMMANDS,
  ...UPGRADE_COMMANDS,
  ...BOOK_COMMANDS,
  ...BACKUP_COMMANDS,
  ...ARCHIVE_COMMANDS,
  'wallet unlock': {
    usage: 'wallet unlock --account ID',
    options: { account: { type: 'string' } },
    required: ['account'],
    run: async (app, { account }) => {
      await unlockCodes(app, String(account))
      return { unlocked: String(account) }
    },
  },
}
