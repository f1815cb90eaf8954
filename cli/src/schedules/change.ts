import type { ItemOf } from '@countersign/sdk'
import { printResult, type Shell } from '../connection/shell.ts'
import { formatOccurrence, formatSchedule } from './words.ts'

/** `countersign schedules pause|resume|cancel` */
export async function changeSchedule(
  shell: Shell,
  id: string,
  action: 'pause' | 'resume' | 'cancel',
): Promise<void> {
  const schedule = await shell.countersign.paymentSchedules[action](id)
  printResult(shell, schedule, formatSchedule(schedule))
}

/** `countersign schedules skip` */
export async function skipPayment(shell: Shell, id: string, date: string | undefined): Promise<void> {
  const body = date === undefined ? {} : { date }
  const schedule = await shell.countersign.paymentSchedules.skip(id, body)
  printResult(shell, schedule, formatSchedule(schedule))
}

/** `countersign schedules payments` */
export async function listOccurrences(shell: Shell, id: string): Promise<void> {
  const payments: ItemOf<'payment_occurrence_list'>[] = []
  for await (const payment of shell.countersign.paymentSchedules.occurrences(id)) payments.push(payment)
  printResult(shell, payments, payments.length > 0 ? payments.map(formatOccurrence) : ['No payments yet.'])
}
