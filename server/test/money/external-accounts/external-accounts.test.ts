import type { AccountCheckName } from '@countersign/contract/accounts/account-fields'
import {
  ACCOUNT_TYPES,
  type AccountTypeName,
  accountType,
  EXTERNAL_ACCOUNT_INFO,
  getExampleAccounts,
  isAccountType,
} from '@countersign/contract/accounts/account-types'
import { describe, expect, test } from 'vitest'
import { type Client, newCustomer, newPlatform, type Reply } from '../../worlds/client.testing.ts'
import { forEach } from '../../worlds/contract/calls.testing.ts'

type Info = Readonly<Record<string, unknown>>

/** One of the two routes: its path, and the owner in its bodies. */
interface Route {
  readonly client: Client
  readonly path: string
  readonly owner: { readonly customerId?: string }
}

const ROUTES = {
  async customers(): Promise<Route> {
    const client = await newPlatform()
    const customerId = (await newCustomer(client)).id
    return { client, path: '/customers/external-accounts', owner: { customerId } }
  },
  async platform(): Promise<Route> {
    return { client: await newPlatform(), path: '/platform/external-accounts', owner: {} }
  },
} as const

const KINDS = ['customers', 'platform'] as const
const TYPES = Object.keys(ACCOUNT_TYPES)
  .filter(isAccountType)
  .filter((type) => accountType(type).fields)

const EXAMPLES: readonly (readonly [type: AccountTypeName, info: Info])[] = TYPES.flatMap((type) =>
  getExampleAccounts(type).map((info) => [type, { ...info }] as const),
)

/** An example of a type that has this field. */
function findExample(type: AccountTypeName, fieldName: string): Info {
  const found = EXAMPLES.find(([exampleType, info]) => exampleType === type && fieldName in info)
  if (!found) throw new Error(`No example of ${type} has ${fieldName}`)
  return found[1]
}

function add({ client, path, owner }: Route, accountInfo: Info, currency?: string): Promise<Reply> {
  const [first] = accountType(accountInfo.accountType as AccountTypeName).currencies
  return client.post(path, { ...owner, currency: currency ?? first, accountInfo })
}

function toRefusal({ status, body }: Reply) {
  return { status, code: body?.code, field: body?.details?.field }
}

const invalidField = (fieldName: string) => ({
  status: 400,
  code: 'INVALID_BANK_ACCOUNT',
  field: `accountInfo.${fieldName}`,
})

describe.each(KINDS)('on the %s route', (kind) => {
  // Three responses of every type are validated, which compiles the contract's schemas.
  test('the examples of every type are added, read, listed and removed', async () => {
    const route = await ROUTES[kind]()
    const { client, path, owner } = route
    expect(new Set(EXAMPLES.map(([type]) => type))).toEqual(new Set(EXTERNAL_ACCOUNT_INFO.keys()))
    const created = new Map<string, unknown>()
    await forEach(EXAMPLES, async ([type, info]) => {
      const { rails, individual, currencies } = accountType(type)
      const { status, body } = await add(route, info)
      expect({ status, body }, JSON.stringify(info)).toMatchObject({ status: 201 })
      expect(body).toEqual({
        id: body.id,
        status: 'ACTIVE',
        ...owner,
        currency: currencies[0],
        ...(kind === 'customers' ? { defaultUmaDepositAccount: false } : {}),
        ...(individual
          ? {
              beneficiaryVerificationStatus: 'MATCHED',
              beneficiaryVerifiedData: { fullName: 'Ada Lovelace' },
            }
          : {}),
        accountInfo: { ...info, ...(rails.length > 0 ? { paymentRails: rails } : {}) },
      })
      expect((await client.get(`${path}/${body.id}`)).body).toEqual(body)
      created.set(body.id, body)
    })
    const listed = (await client.get(`${path}?limit=100`)).body
    expect(listed).toMatchObject({ hasMore: false, totalCount: EXAMPLES.length })
    expect(new Map(listed.data.map((one: { id: string }) => [one.id, one]))).toEqual(created)
    const dollars = EXAMPLES.filter(([type]) => accountType(type).currencies[0] === 'USD')
    expect((await client.get(`${path}?currency=USD`)).body.data).toHaveLength(dollars.length)
    await forEach([...created.keys()], async (id) => {
      expect((await client.send('DELETE', `${path}/${id}`)).status).toBe(204)
    })
    expect((await client.get(path)).body).toEqual({ data: [], hasMore: false, totalCount: 0 })
  })

  test.each([
    ['102', 'NOT_MATCHED'],
    ['103', 'PARTIAL_MATCH'],
    ['104', 'PENDING'],
    ['105', null],
    ['106', 'UNSUPPORTED'],
    ['107', 'CHECKED_BY_RECEIVING_FI'],
    ['108', 'MATCHED'],
    ['101', 'MATCHED'],
  ])('an identifier that ends in %s gives its holder the status %s', async (suffix, status) => {
    const route = await ROUTES[kind]()
    const candidates = EXAMPLES.filter(
      ([type, info]) => accountType(type).individual && isSteerable(type, info, suffix),
    )
    expect(candidates.length).toBeGreaterThan(status === 'MATCHED' ? 20 : 40)
    // Both routes share the code of the rules, so the second one tests only some types.
    const steered = kind === 'customers' ? candidates : candidates.filter((_, index) => index % 5 === 0)
    await forEach(steered, async ([type, info]) => {
      const name = findPrimaryField(type, info)
      const { status: httpStatus, body } = await add(route, {
        ...info,
        [name]: replaceEnd(info[name], suffix),
      })
      const label = `${type} ${name}`
      if (status === null)
        return expect(toRefusal({ status: httpStatus, body } as Reply), label).toEqual(invalidField(name))
      expect([httpStatus, body.beneficiaryVerificationStatus], label).toEqual([201, status])
      expect(body.beneficiaryVerifiedData, label).toEqual(
        status === 'MATCHED' ? { fullName: 'Ada Lovelace' } : undefined,
      )
    })
  })

  test('a value that fails a check or a pattern is refused, naming the field, and not stored', async () => {
    const route = await ROUTES[kind]()
    await forEach(EXAMPLES, async ([type, example]) => {
      const { checks = {}, fields = {} } = accountType(type)
      for (const [name, value] of Object.entries(example)) {
        const check = checks[name]
        const invalidValues = check ? INVALID_VALUES[check](String(value)) : []
        const isPatterned = name in fields && 'pattern' in fields[name]!
        for (const text of isPatterned ? [...invalidValues, '!'] : invalidValues)
          expect(
            toRefusal(await add(route, { ...example, [name]: text })),
            `${type} ${name} ${text}`,
          ).toEqual(invalidField(name))
      }
    })
    expect((await route.client.get(route.path)).body.data).toEqual([])
  })

  test('a duplicate account is a conflict in any spelling, and one of twenty parallel requests creates it', async () => {
    const route = await ROUTES[kind]()
    await forEach(
      SPELLINGS,
      async ([type, first, ...others], index) => {
        const label = `${type} ${JSON.stringify(first)}`
        const [example] = getExampleAccounts(type)
        const info = { ...example, ...first }
        const replies = await Promise.all(
          Array.from({ length: index % 5 === 0 ? 20 : 2 }, () => add(route, info)),
        )
        const created = replies.filter(({ status }) => status === 201)
        expect(created, label).toHaveLength(1)
        for (const reply of replies)
          if (reply.status !== 201)
            expect(toRefusal(reply), label).toEqual({
              status: 409,
              code: 'EXTERNAL_ACCOUNT_ALREADY_EXISTS',
              field: 'accountInfo',
            })
        for (const spelling of others) {
          const duplicate = await add(route, { ...info, ...spelling })
          expect(duplicate.body.details, `${label} ${JSON.stringify(spelling)}`).toMatchObject({
            field: 'accountInfo',
            externalAccountId: created[0]!.body.id,
          })
        }
      },
      4,
    )
    expect((await route.client.get(`${route.path}?limit=100`)).body.totalCount).toBe(SPELLINGS.length)
  })

  test('an account at another bank, or in another currency, is a different account', async () => {
    const route = await ROUTES[kind]()
    await forEach(SIMILAR_ACCOUNTS, async ([type, first, second]) => {
      const [example] = getExampleAccounts(type)
      for (const more of [first, second])
        expect((await add(route, { ...example, ...more })).status, `${type} ${JSON.stringify(more)}`).toBe(
          201,
        )
    })
    for (const currency of ['BTC', 'USDB'])
      expect((await add(route, findExample('SPARK_WALLET', 'address'), currency)).status).toBe(201)
  })
})

describe('the two external account routes', () => {
  test("list only their own accounts, and a customer's account is not found on the platform's route", async () => {
    const customers = await ROUTES.customers()
    const platform = { client: customers.client, path: '/platform/external-accounts', owner: {} }
    const info = findExample('USD_ACCOUNT', 'accountNumber')
    const [customerAccount, platformAccount] = [await add(customers, info), await add(platform, info)]
    expect([customerAccount.status, platformAccount.status]).toEqual([201, 201])
    expect(platformAccount.body).not.toHaveProperty('customerId')
    expect((await add(platform, info)).status).toBe(409)
    const { client } = customers
    expect((await client.get(customers.path)).body.data).toEqual([customerAccount.body])
    expect((await client.get(platform.path)).body.data).toEqual([platformAccount.body])
    for (const method of ['GET', 'DELETE'])
      expect(toRefusal(await client.send(method, `${platform.path}/${customerAccount.body.id}`))).toEqual({
        status: 404,
        code: 'ACCOUNT_NOT_FOUND',
        field: 'externalAccountId',
      })
  })

  test('do not share cursors, and list the accounts of one platform only', async () => {
    const route = await ROUTES.platform()
    const { client, path } = route
    const ids: string[] = []
    for (const digit of [4, 5, 6]) {
      const accountNumber = `123456789${digit}`
      ids.unshift(
        (await add(route, { ...findExample('USD_ACCOUNT', 'accountNumber'), accountNumber })).body.id,
      )
    }
    const first = (await client.get(`${path}?limit=2`)).body
    const second = (await client.get(`${path}?limit=2&cursor=${first.nextCursor}`)).body
    expect([...first.data, ...second.data].map(({ id }: { id: string }) => id)).toEqual(ids)
    const mismatch = await client.get(`/customers/external-accounts?limit=2&cursor=${first.nextCursor}`)
    expect(toRefusal(mismatch)).toEqual({ status: 400, code: 'INVALID_INPUT', field: 'cursor' })
    const stranger = await newPlatform()
    expect((await stranger.get(path)).body.data).toEqual([])
    expect((await stranger.get(`${path}/${ids[0]}`)).status).toBe(404)
    expect((await stranger.send('DELETE', `${path}/${ids[0]}`)).status).toBe(404)
  })

  test('accept an account that two customers share', async () => {
    const route = await ROUTES.customers()
    const other = { ...route, owner: { customerId: (await newCustomer(route.client)).id } }
    for (const type of ['USD_ACCOUNT', 'EUR_ACCOUNT', 'SOLANA_WALLET'] as const) {
      const [info] = getExampleAccounts(type)
      expect([(await add(route, { ...info })).status, (await add(other, { ...info })).status]).toEqual([
        201, 201,
      ])
    }
  })
})

test('an address may end in a magic suffix, but its format is still checked', async () => {
  const route = await ROUTES.customers()
  const wallets = TYPES.filter((type) => accountType(type).rails.length === 0)
  for (const type of wallets)
    for (const example of getExampleAccounts(type)) {
      const info: Info = { ...example }
      const name = findPrimaryField(type, info)
      if (name === 'lightningAddress') continue
      const steered = replaceEnd(info[name], '003')
      expect((await add(route, { ...info, [name]: steered })).status, steered).toBe(201)
      expect(toRefusal(await add(route, { ...info, [name]: replaceEnd(info[name], '105') }))).toEqual(
        invalidField(name),
      )
      for (const bad of [steered.slice(20), `${steered.slice(0, 9)}O${steered.slice(10)}`])
        expect(toRefusal(await add(route, { ...info, [name]: bad })), bad).toEqual(invalidField(name))
    }
})

/** The field that controls the sandbox. */
function findPrimaryField(type: AccountTypeName, info: Info): string {
  return accountType(type).identifiedBy.find((name) => name in info)!
}

/** Replaces the end of an identifier, or of the name in `name@domain`. */
function replaceEnd(identifier: unknown, suffix: string): string {
  const text = String(identifier)
  const at = text.indexOf('@') > 0 ? text.indexOf('@') : text.length
  return text.slice(0, at - suffix.length) + suffix + text.slice(at)
}

/** Only magic suffixes may break check digits, so other suffixes exclude identifiers with check digits. */
function isSteerable(type: AccountTypeName, info: Info, suffix: string): boolean {
  const name = findPrimaryField(type, info)
  const isComputed =
    ['iban', 'clabeNumber'].includes(name) || ['CPF', 'CNPJ'].includes(String(info.pixKeyType))
  return !isComputed || /^10[2-7]$/.test(suffix)
}

/** Replaces one character by another of the same kind. */
function alterAt(text: string, at: number): string {
  const letter = text.at(at)!
  const other = letter === '2' ? '3' : letter === 'q' ? 'p' : /\d/.test(letter) ? '2' : 'q'
  const index = at < 0 ? text.length + at : at
  return text.slice(0, index) + other + text.slice(index + 1)
}

/** Values that each check must refuse, derived from valid ones. */
const INVALID_VALUES: Readonly<Record<AccountCheckName, (text: string) => readonly string[]>> = {
  aba: () => ['021000022', '000000000', '02100002'],
  bic: () => ['ABCDZZFF', 'ABCDEFG', 'COBADEFF1'],
  bolt11: (text) => [alterAt(text, 40), alterAt(text, -1), text.slice(0, -1), text.replace('lnbc', 'lnxx')],
  bolt12: (text) => [text.slice(0, -1), alterAt(text, 6), 'lno1', 'lno1qqqqqq', text.replace('lno', 'lni')],
  cbu: () => [],
  clabe: (text) => [alterAt(text, 3), alterAt(text, -1), text.slice(1)],
  country: () => ['ZZ', 'ch'],
  evm: (text) => [
    text.replace(/[a-f]/, (letter) => letter.toUpperCase()),
    text.slice(0, -1),
    text.slice(2),
    `${text}0`,
  ],
  iban: (text) => [alterAt(text, 3), alterAt(text, -4), `${text}0`, text.slice(0, -1), `ZZ${text.slice(2)}`],
  number: () => ['💥', '---', '12;34'],
  phone: () => ['+15555550100', '+99912345678', '+4420794609581', '+000000000'],
  pixKey: () => ['x', '12345678900', '11222333000180', 'a@', '+442079460958', 'not-a-uuid'],
  solana: (text) => [`${text}1`, text.slice(0, -1), `0${text.slice(1)}`, '1111'],
  spark: (text) => [
    alterAt(text, 20),
    alterAt(text, -1),
    text.slice(0, -1),
    text.replace('spark1', 'sparc1'),
  ],
  tron: (text) => [alterAt(text, 20), text.slice(0, -1), `A${text.slice(1)}`],
  usAccount: () => ['12345x', '123456789012345678', '12 34'],
  vpa: () => ['ada', 'ada@ok@axis', 'ada@HDFC1000001'],
}

/** Spellings of equal accounts. */
const SPELLINGS: readonly (readonly [AccountTypeName, Info, ...Info[]])[] = [
  ['USD_ACCOUNT', {}],
  ['EUR_ACCOUNT', {}, { swiftCode: undefined }, { swiftCode: 'COBADEFFXXX' }],
  [
    'EUR_ACCOUNT',
    { iban: 'FR1420041010050500013M02606' },
    { iban: 'FR1420041010050500013m02606' },
    { swiftCode: 'PSSTFRPP' },
  ],
  ['MXN_ACCOUNT', {}],
  [
    'HKD_ACCOUNT',
    {},
    { accountNumber: '123 456789 833' },
    { accountNumber: '123-456789-833', swiftCode: 'HSBCHKHHXXX' },
    { bankName: 'Hang Seng Bank' },
  ],
  ['NGN_ACCOUNT', {}],
  ['KES_ACCOUNT', {}],
  ['BRL_ACCOUNT', {}, { pixKey: 'ADA@example.COM' }, { taxId: '52998224725' }],
  ['INR_ACCOUNT', {}, { vpa: 'Ada.Lovelace@OKHDFCBANK' }],
  ['SWIFT_ACCOUNT', {}, { bankName: 'UBS', swiftCode: 'UBSWCHZH80AXXX'.slice(0, 11) }],
  [
    'SWIFT_ACCOUNT',
    { iban: undefined, accountNumber: 'ab 12-34', swiftCode: 'UBSWCHZH' },
    { accountNumber: 'AB1234', swiftCode: 'UBSWCHZHXXX', bankName: 'UBS' },
  ],
  ['BDT_ACCOUNT', {}, { phoneNumber: '+8801812345678' }, { swiftCode: undefined, branchCode: undefined }],
  [
    'ETHEREUM_WALLET',
    {},
    { address: '0xdbf03b407c01e7cd3cbea99509d93f8dddc8c6fb' },
    { address: '0xDBF03B407C01E7CD3CBEA99509D93F8DDDC8C6FB' },
  ],
  [
    'SPARK_WALLET',
    {},
    { address: 'SPARK1PGSSY7D7VEL0NH9M4326QC54E6RSKPCZN07DKTWW9RV4NU5PTVT0S9UC489GG2' },
    { address: 'sp1pgssy7d7vel0nh9m4326qc54e6rskpczn07dktww9rv4nu5ptvt0s9ucez8h3s' },
  ],
  // With a magic suffix.
  [
    'SPARK_WALLET',
    { address: 'spark1pgssy7d7vel0nh9m4326qc54e6rskpczn07dktww9rv4nu5ptvt0s9uc489003' },
    { address: 'sp1pgssy7d7vel0nh9m4326qc54e6rskpczn07dktww9rv4nu5ptvt0s9ucez8003' },
  ],
  [
    'SPARK_WALLET',
    { address: 'sparkrt1pgssy7d7vel0nh9m4326qc54e6rskpczn07dktww9rv4nu5ptvt0s9uc8pt5y4' },
    { address: 'sprt1pgssy7d7vel0nh9m4326qc54e6rskpczn07dktww9rv4nu5ptvt0s9ucd5rgc0' },
  ],
  ['SOLANA_WALLET', {}],
]

/** Different accounts that look alike. */
const SIMILAR_ACCOUNTS: readonly (readonly [AccountTypeName, Info, Info])[] = [
  ['USD_ACCOUNT', {}, { routingNumber: '011401533' }],
  ['GBP_ACCOUNT', {}, { sortCode: '040004' }],
  ['KES_ACCOUNT', {}, { provider: 'Airtel Money' }],
  ['NGN_ACCOUNT', {}, { bankName: 'Zenith Bank' }],
  ['HKD_ACCOUNT', {}, { swiftCode: 'BKCHHKHH' }],
  ['XOF_ACCOUNT', {}, { phoneNumber: '+2250123456789', region: 'CI' }],
  ['LIGHTNING', {}, { lightningAddress: 'a.da@wallet.example' }],
  ['POLYGON_WALLET', {}, { address: '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359' }],
  ['TRON_WALLET', {}, { address: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t' }],
]
