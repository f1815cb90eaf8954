import { Countersign } from '@countersign/sdk'
import {
  INDEXED_DB,
  isPayment,
  membersOf,
  type Session,
  type Signer,
  type Statement,
} from '@countersign/sdk/wallet'
import { createItem, find, onAction, showDialog, showStatus } from './view.ts'

/** The server's quorum key, built into the page. */
declare const QUORUM_PUBLIC_KEY: string

/** The page's user, as known to the app's backend. */
interface Me {
  readonly name: string
  readonly email: string
  readonly customerId: string
  readonly walletId: string
  readonly bankId: string
  /** The address of the API. */
  readonly baseUrl: string
}

const me = (await (await fetch('/me')).json()) as Me
// A token for this customer only. The platform's own credentials stay in the backend.
const { accessToken } = (await (await fetch('/token', { method: 'POST' })).json()) as { accessToken: string }
const countersign = new Countersign({ baseUrl: me.baseUrl, accessToken })
const wallet = countersign.wallet(me.walletId, {
  quorumPublicKey: QUORUM_PUBLIC_KEY,
  relyingParty: { name: 'Wallet' },
  confirm: confirmStatement,
})
let session: Session | undefined

find('owner').textContent = `${me.name}, ${me.email}`

/**
 * Shows what will be signed; for a payment, every field of the payee. Resolves to true if the customer
 * agrees.
 */
async function confirmStatement(statement: Statement): Promise<boolean> {
  find('confirm-words').textContent = statement.summary
  find('confirm-payee').replaceChildren(
    ...(isPayment(statement) ? membersOf(statement.destination) : []).flatMap(([field, text]) => [
      Object.assign(document.createElement('dt'), { textContent: field }),
      Object.assign(document.createElement('dd'), { textContent: text }),
    ]),
  )
  return (await showDialog('confirm')) === 'yes'
}

/** A signer that shows everything it signs. A session on its own only shows payments. */
function createConfirmingSigner(): Signer {
  const { accountId } = wallet
  return {
    accountId,
    async sign(payload) {
      if (!(await confirmStatement(payload.statement))) throw new Error('Not signed.')
      return requireSession().sign(payload)
    },
  }
}

onAction('send-code', async () => {
  showStatus(`A code has been sent to ${me.email}.`)
  await replaceSession(await wallet.email.signIn({ code: askForCode }), 'Signed in by e-mail code.')
})

async function askForCode(): Promise<string> {
  const [form, entry, input] = [find('code-form'), find('code-entry'), find<HTMLInputElement>('code')]
  entry.hidden = false
  find('send-code').hidden = true
  // Every button is disabled while an action runs, except these, which are part of the action.
  for (const button of entry.querySelectorAll('button')) button.disabled = false
  input.focus()
  try {
    return await new Promise((resolve, reject) => {
      form.onsubmit = (event) => {
        event.preventDefault()
        resolve(input.value.trim())
      }
      find('cancel-code').onclick = () => reject(new Error('Not signed in.'))
    })
  } finally {
    entry.hidden = true
    find('send-code').hidden = false
    input.value = ''
  }
}

onAction('sign-in-passkey', async () => {
  await replaceSession(await wallet.passkey.signIn(), 'Signed in with a passkey.')
})

onAction('refresh', async () => {
  const previousSession = requireSession()
  session = await previousSession.refresh()
  await INDEXED_DB.save(session.record)
  await wallet.revokeSession(previousSession.id, session)
  await show('The session has been renewed.')
})

onAction('sign-out', async () => {
  await requireSession().revoke()
  await replaceSession(undefined, 'Signed out.')
})

onAction('add-passkey', async () => {
  // The session signs this challenge together with the new key.
  const challenge = btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
  const passkeys = (await wallet.credentials()).filter(({ type }) => type === 'PASSKEY')
  const nickname = `Passkey ${passkeys.length + 1}`
  await wallet.passkey.register({ nickname, challenge, session: requireSession() })
  await show('The passkey has been registered.')
})

onAction('pay-form', async () => {
  const { body: quote } = await countersign.call('quote_create', {
    body: {
      source: { sourceType: 'ACCOUNT', accountId: me.walletId },
      destination: { destinationType: 'ACCOUNT', accountId: me.bankId },
      lockedCurrencySide: 'RECEIVING',
      lockedCurrencyAmount: parseCents(find<HTMLInputElement>('amount').value),
    },
  })
  await countersign.signed('quote_execute', { params: { quoteId: quote.id } }, requireSession())
  showStatus('The payment is in progress.')
  const { status } = await countersign.waitForTransaction(quote.transactionId)
  await show(
    status === 'COMPLETED'
      ? 'Paid: the payment has settled.'
      : `The payment ended with the status ${status}.`,
  )
})

onAction('export', async () => {
  const phrase = await wallet.export(createConfirmingSigner())
  const message = find('words')
  message.replaceChildren(
    ...phrase.split(' ').map((word) => Object.assign(document.createElement('li'), { textContent: word })),
  )
  await showDialog('phrase')
  message.replaceChildren()
})

async function replaceSession(next: Session | undefined, message: string): Promise<void> {
  session = next
  await (next ? INDEXED_DB.save(next.record) : INDEXED_DB.remove(wallet.accountId))
  await show(message)
}

async function show(message: string): Promise<void> {
  find('signed-out').hidden = session !== undefined
  find('signed-in').hidden = session === undefined
  if (session) {
    find('session').textContent = `Signed in until ${session.expiresAt.toLocaleTimeString()}`
    await Promise.all([showBalance(), showMethods()])
  }
  showStatus(message)
}

async function showBalance(): Promise<void> {
  const { body } = await countersign.call('customer_internal_account_list', {
    query: { customerId: me.customerId, type: 'EMBEDDED_WALLET' },
  })
  const { amount, currency } = body.data[0]!.balance
  const digits = String(amount).padStart(currency.decimals + 1, '0')
  const point = digits.length - currency.decimals
  find('balance').textContent = `${digits.slice(0, point)}.${digits.slice(point)} ${currency.code}`
}

const KINDS = {
  EMAIL_OTP: 'Code by e-mail',
  SMS_OTP: 'Code by SMS',
  PASSKEY: 'Passkey',
  OAUTH: 'Identity',
} as const

async function showMethods(): Promise<void> {
  const credentials = await wallet.credentials()
  find('methods').replaceChildren(
    ...credentials.map(({ id, type, nickname }) => {
      const revoke = document.createElement('button')
      revoke.type = 'button'
      revoke.id = `revoke-${id}`
      revoke.textContent = 'Revoke'
      revoke.setAttribute('aria-label', `Revoke ${nickname}`)
      revoke.hidden = credentials.length === 1
      return createItem(nickname, KINDS[type], revoke)
    }),
  )
  for (const { id, nickname } of credentials)
    onAction(`revoke-${id}`, async () => {
      await wallet.revokeCredential(id, requireSession())
      await show(`${nickname} has been revoked.`)
    })
}

function requireSession(): Session {
  if (!session) throw new Error('Sign in first.')
  return session
}

function parseCents(text: string): bigint {
  const [units = '0', fraction = ''] = text.split('.')
  return BigInt(units) * 100n + BigInt(fraction.padEnd(2, '0'))
}

const storedRecord = await INDEXED_DB.load(wallet.accountId)
if (storedRecord) session = await wallet.session(storedRecord)
await show('')
