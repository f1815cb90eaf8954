import { expect, test } from 'vitest'
import { ConfirmationRequiredError } from '../signing/confirm.ts'
import type { Payment } from '../signing/statement.ts'
import { Confirmations } from './confirmations.ts'

const payment = (summary: string) => ({ summary }) as Payment
const ignore = () => {}

test('a payment is never confirmed if no component shows it', () => {
  const confirmations = new Confirmations()
  expect(() => confirmations.ask(payment('one'))).toThrow(ConfirmationRequiredError)
  const leave = confirmations.view(ignore)
  leave()
  expect(() => confirmations.ask(payment('two'))).toThrow(ConfirmationRequiredError)
})

test('payments are shown one after another, and only the first decision about each counts', async () => {
  const confirmations = new Confirmations()
  const shownIds: (string | undefined)[] = []
  confirmations.view(() => shownIds.push(confirmations.current()?.payment.summary))
  const [one, two] = [confirmations.ask(payment('one')), confirmations.ask(payment('two'))]
  const first = confirmations.current()!
  expect(first.payment.summary).toBe('one')
  first.answer(false)
  first.answer(true)
  expect(await one).toBe(false)
  confirmations.current()!.answer(true)
  expect(await two).toBe(true)
  expect(confirmations.current()).toBeUndefined()
  expect(shownIds).toEqual(['one', 'one', 'two', 'two', undefined])
})

test('waiting payments are declined when the last component that shows payments unmounts', async () => {
  const confirmations = new Confirmations()
  const [leave, leaveToo] = [confirmations.view(ignore), confirmations.view(ignore)]
  const decision = confirmations.ask(payment('one'))
  leave()
  expect(confirmations.current()).toBeDefined()
  leaveToo()
  expect(await decision).toBe(false)
  expect(confirmations.current()).toBeUndefined()
})
