import { createElement, type ReactNode } from 'react'
import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import type { Caller } from '../client/calls.ts'
import { AddPasskey } from './add-passkey.tsx'
import { Balances } from './balances.tsx'
import { Card } from './card.tsx'
import { ConfirmPayment } from './confirm-payment.tsx'
import { KitLook } from './look.tsx'
import { Field, Form, Section } from './parts.tsx'
import { CountersignProvider } from './provider.tsx'
import { Receive } from './receive.tsx'
import { SignIn } from './sign-in.tsx'
import { Transactions } from './transactions.tsx'

/** Renders every component as a server does, without a page. */
function render(client: Caller, language: string): string {
  const components: ReactNode[] = [SignIn, Balances, Transactions, Receive, Card, ConfirmPayment].map(
    (component) => createElement(component as () => ReactNode, { key: component.name }),
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

test('the wallet kit renders on a server without any API call', () => {
  let calls = 0
  const client: Caller = {
    async call() {
      calls++
      throw new Error('not on a server')
    },
  }
  const html = render(client, 'es-MX')
  expect(calls).toBe(0)
  for (const title of ['Iniciar sesión', 'Saldos', 'Movimientos', 'Recibir dinero', 'Tarjeta'])
    expect(html).toContain(title)
  expect(html).toContain('lang="es-MX"')
  expect(html).toContain('class="cs-title mine"')
})

test('a form without a wallet uses the language and class names of KitLook', () => {
  const field = createElement(Field, { name: 'fullName', label: 'Nom' })
  const form = createElement(Form, { submitLabel: 'Créer', onSubmit: () => {}, children: field })
  const section = createElement(Section, { name: 'sign-up', title: 'Créer un compte', children: form })
  const html = renderToString(
    createElement(KitLook, { language: 'fr', classNames: { input: 'mine' } }, section),
  )
  expect(html).toContain('lang="fr"')
  expect(html).toMatch(/<input class="cs-input mine"[^>]* name="fullName"/)
  expect(html).toMatch(/<button type="submit" class="cs-button cs-primary"/)
})

test('a component outside a CountersignProvider throws an error that names the provider', () => {
  expect(() => renderToString(createElement(Balances))).toThrow(/CountersignProvider/)
})
