import type { ServiceCommand } from '@countersign/contract/operation/operator-commands'
import { unlockCodes } from '../../people/credentials/code-failures.ts'
import { listPlatforms } from '../../people/platforms/platforms.ts'
import { listTokens } from '../../people/tokens/tokens.ts'
import { createPlatform, createToken, getDefaultPermissions, revokeToken } from '../service/first-platform.ts'
import type { RunCommand } from './admin-command.ts'
import { ARCHIVE_COMMANDS } from './archive-commands.ts'
import { BACKUP_COMMANDS } from './backup-commands.ts'
import { BOOK_COMMANDS } from './book-commands.ts'
import { CELL_COMMANDS } from './cell-commands.ts'
import { MEMBER_COMMANDS } from './member-commands.ts'
import { readPermissions } from './permissions.ts'
import { RAIL_COMMANDS } from './rail-commands.ts'
import { RECONCILIATION_COMMANDS } from './reconciliation-commands.ts'
import { UPGRADE_COMMANDS } from './upgrade-commands.ts'
import { VERIFICATION_COMMANDS } from './verification-commands.ts'

export const ADMIN_COMMANDS: Readonly<Record<ServiceCommand, RunCommand>> = {
  'platform create': async (app, { name, regulated }, baseUrl) => ({
    ...(await createPlatform(app, String(name), regulated === true)),
    baseUrl,
  }),
  'platform list': async (app) => ({ data: await listPlatforms(app.read) }),
  'token create': async (app, { platform, name, permissions }, baseUrl) => {
    const granted = readPermissions(permissions) ?? getDefaultPermissions(app)
    return { ...(await createToken(app, String(platform), String(name), granted)), baseUrl }
  },
  'token list': async (app, { platform }) => ({ data: await listTokens(app.read, String(platform)) }),
  'token revoke': async (app, { token }) => {
    await revokeToken(app, String(token))
    return { revoked: String(token) }
  },
  ...MEMBER_COMMANDS,
  ...VERIFICATION_COMMANDS,
  ...RAIL_COMMANDS,
  ...RECONCILIATION_COMMANDS,
  ...UPGRADE_COMMANDS,
  ...CELL_COMMANDS,
  ...BOOK_COMMANDS,
  ...BACKUP_COMMANDS,
  ...ARCHIVE_COMMANDS,
  'wallet unlock': async (app, { account }) => {
    await unlockCodes(app, String(account))
    return { unlocked: String(account) }
  },
}
