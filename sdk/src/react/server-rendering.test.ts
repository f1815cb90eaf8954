import { createElement, type ReactNode } from 'react'
import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import type { Caller } from '../calls.ts'
import { AddPasskey } from './add-passkey.tsx'
import { Balances } from './balances.tsx'
import { Card } from './card.tsx'
import { ConfirmPayment } from './confirm-payment.tsx'
import { CountersignProvider } from './provider.tsx'
import { Receive } from './receive.tsx'
import { SignIn } from './sign-in.tsx'
import { Transactions } from './transactions.tsx'

/** Every component, as a server renders it that has no page. */
function rendered(client: Caller, language: string): string {
  const components: ReactNode[] = [SignIn, Balances, Transactions, Receive, Card, ConfirmPayment].map((one) =>
    createElement(one as () => ReactNode, { key: one.name }),
  )
  const wallet = { customerId: 'Customer:1', accountId: 'InternalAccount:1', quorumPublicKey: '04' }
  return renderToString(
    createElement(
      CountersignProvider,
      { client, language, classNames: { title: 'mine' }, ...wallet },
      ...components,
      createElement(AddPasskey, { key: 'passkey', nickname: 'This device' }),
    ),
  )
}

test('a server renders the components without a page, and calls nothing', () => {
  let calls = 0
  const client: Caller = {
    async call() {
      calls++
      throw new Error('not on a server')
    },
  }
  const html = rendered(client, 'es-MX')
  expect(calls).toBe(0)
  for (const title of ['Iniciar sesión', 'Saldos', 'Movimientos', 'Recibir dinero', 'Tarjeta'])
    expect(html).toContain(title)
  expect(html).toContain('lang="es-MX"')
  expect(html).toContain('class="cs-title mine"')
})

test('outside of a provider a component says what is missing', () => {
  expect(() => renderToString(createElement(Balances))).toThrow(/CountersignProvider/)
})
