import { randomBytes } from 'node:crypto'
import { createOp, type Op } from '../../../src/kernel/operation/app.ts'
import { makeOtpCredential } from '../../../src/people/credentials/credentials.ts'
import { makeCustomer } from '../../../src/people/customers/customers.ts'
import { openCustomerAccounts } from '../../../src/people/customers/wallets.ts'
import { makeOtpMessage } from '../../../src/people/messages/messages.ts'
import { type PlatformConfig, platformConfig } from '../../../src/people/platforms/platform-config.ts'
import { makePlatform } from '../../../src/people/platforms/platforms.ts'
import { makeOtpChallenge, replaceChallenge } from '../../../src/people/sign-in/one-time-codes.ts'
import { insert, update, type Write } from '../../../src/storage/commit/writes.ts'
import { uuidOf } from '../../../src/storage/engine/ids.ts'
import type { MessageRow } from '../../../src/storage/rows/sign-in.ts'
import type { CredentialRow, InternalAccountRow, PlatformRow } from '../../../src/storage/rows/tables.ts'
import {
  type Options,
  openServer,
  type Settings,
  type SharedServer,
  type TestServer,
} from '../server.testing.ts'
import { type MailServer, mailServer, SMTP_LOGIN, type SmsGateway, smsGateway } from './mail.testing.ts'

/** A server in production that sends e-mail and SMS to servers of this process. */
export interface Mailing {
  readonly service: TestServer
  readonly smtp: MailServer
  readonly sms: SmsGateway
  newPlatform(wallet?: Partial<WalletConfig>): Promise<TestPlatform>
  close(): Promise<void>
}

/** The gateway's password: characters that an address would have to escape. */
export const SMS_TOKEN = 'tok/en:+=é'

type WalletConfig = PlatformConfig['embeddedWalletConfig']

/** Unless `isLive`, the clock stands still, and jobs run only when a test moves a platform's clock. */
export async function openMailing(
  settings: Settings = {},
  { isLive = false, ...options }: Options & { readonly isLive?: boolean } = {},
): Promise<Mailing> {
  const [smtp, sms] = await Promise.all([mailServer(), smsGateway()])
  const login = `${encodeURIComponent(SMTP_LOGIN.user)}:${encodeURIComponent(SMTP_LOGIN.password)}`
  const service = await openServer(
    {
      COUNTERSIGN_MODE: 'production',
      SMTP_URL: `smtp://${login}@127.0.0.1:${smtp.port}`,
      SMTP_FROM: 'Codes <codes@ops.example>',
      SMTP_SENDER_DOMAINS: '{"*": ["unicorn.example"]}',
      SMS_URL: `${sms.url}/`,
      SMS_ACCOUNT_SID: 'AC0123456789',
      SMS_AUTH_TOKEN: SMS_TOKEN,
      SMS_FROM: '+15550001111',
      ...settings,
    },
    { ...options, listens: false },
  )
  const stopped = service.app.clock()
  if (!isLive) Object.assign(service.app, { clock: () => stopped })
  return {
    service,
    smtp,
    sms,
    newPlatform: (wallet) => TestPlatform.create(service, wallet),
    async close() {
      await service.close()
      await Promise.all([smtp.stop(), sms.stop()])
    },
  }
}

async function commit(service: SharedServer, writes: readonly Write[]): Promise<void> {
  const result = await service.app.committer.commit(writes)
  if (!result.done) throw new Error(`Not written: ${result.name}`)
}

export interface Holder {
  readonly account: InternalAccountRow
  readonly credential: CredentialRow
}

let customers = 0

/** A platform of a production service, whose clock the test moves. */
export class TestPlatform {
  readonly service: SharedServer
  readonly id: string

  constructor(service: SharedServer, id: string) {
    this.service = service
    this.id = id
  }

  static async create(service: SharedServer, wallet: Partial<WalletConfig> = {}): Promise<TestPlatform> {
    const { app } = service
    const { row, writes } = makePlatform(
      { now: app.clock(), random: randomBytes, mode: app.config.mode, enclave: app.enclave.forOperation() },
      'Test',
    )
    await commit(service, writes)
    const platform = new TestPlatform(service, row.id)
    const { embeddedWalletConfig } = platformConfig(await platform.op())
    await platform.change({
      config: { ...row.config, embeddedWalletConfig: { ...embeddedWalletConfig, ...wallet } },
    })
    return platform
  }

  async row(): Promise<PlatformRow> {
    const { read } = this.service.app
    return read.selectFrom('platforms').selectAll().where('id', '=', this.id).executeTakeFirstOrThrow()
  }

  async op(): Promise<Op> {
    return createOp(this.service.app, await this.row(), { kind: 'job', jobId: 'test' })
  }

  async change(set: Partial<PlatformRow>): Promise<void> {
    const { version } = await this.row()
    await commit(this.service, [update('platforms', this.id, {}, { ...set, version: version + 1 })])
  }

  commit(writes: readonly Write[]): Promise<void> {
    return commit(this.service, writes)
  }

  /** Moves the platform's clock, then runs what is due, except webhooks. */
  async advance(seconds: number): Promise<void> {
    const { clock_offset_ms } = await this.row()
    await this.change({ clock_offset_ms: clock_offset_ms + BigInt(Math.round(seconds * 1000)) })
    await this.service.jobs.runDue(this.id)
  }

  /** An approved customer with a wallet, and a credential whose codes go to `contact`. */
  async holder(contact = `Ada.${++customers}@Example.com`): Promise<Holder> {
    const op = await this.op()
    const body = { customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace' } as const
    const email = contact.startsWith('+') ? `sms${++customers}@example.com` : contact
    const made = makeCustomer(op, platformConfig(op), { ...body, email })
    const customer = { ...made, verification_status: 'APPROVED' } as const
    await this.commit([
      insert('customers', customer),
      ...openCustomerAccounts(op, platformConfig(op), undefined, customer),
    ])
    const account = await op.read
      .selectFrom('internal_accounts')
      .selectAll()
      .where('customer_id', '=', customer.id)
      .where('type', '=', 'EMBEDDED_WALLET')
      .executeTakeFirstOrThrow()
    if (contact.startsWith('+'))
      await this.commit([insert('credentials', makeOtpCredential(op, account.id, 'SMS_OTP', contact))])
    const credential = await op.read
      .selectFrom('credentials')
      .selectAll()
      .where('account_id', '=', account.id)
      .where('contact', '=', contact)
      .executeTakeFirstOrThrow()
    return { account, credential }
  }

  /**
   * Issues a code like the challenge call. `code`: the value in the message in place of the code that
   * verifies.
   */
  async challenge(
    { account, credential }: Holder,
    code?: string,
  ): Promise<{ code: string; bundle: string; id: string }> {
    const op = await this.op()
    const { read } = op
    const now = await read
      .selectFrom('credentials')
      .selectAll()
      .where('id', '=', credential.id)
      .executeTakeFirstOrThrow()
    const made = makeOtpChallenge(op, now, account)
    const sent = { challengeId: made.challengeId, code: code ?? made.code }
    await this.commit([
      made.write,
      replaceChallenge(op, now, made.challengeId),
      ...makeOtpMessage(op, credential, account, sent),
    ])
    const { id } = await read
      .selectFrom('messages')
      .select('id')
      .where('challenge_id', '=', made.challengeId)
      .executeTakeFirstOrThrow()
    return { code: sent.code, bundle: made.bundle, id }
  }

  async message(id: string): Promise<MessageRow> {
    const { read } = this.service.app
    return read.selectFrom('messages').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  }

  /** All rows of messages and jobs, as text. */
  async stored(): Promise<string> {
    const { rows } = await this.service.app.db.query<{ text: string }>(
      `SELECT m::text AS text FROM messages m WHERE platform_id = $1
       UNION ALL SELECT j::text FROM jobs j WHERE platform_id = $1`,
      [uuidOf(this.id)],
    )
    return rows.map(({ text }) => text).join('\n')
  }
}
