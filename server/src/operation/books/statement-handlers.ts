import type { statements } from '@countersign/contract/books/statements'
import type { Handlers } from '../../kernel/operation/operation.ts'
import { statementCsv } from './statement-csv.ts'
import { PAGE_HEADERS, statementPage } from './statement-page.ts'
import { makeStatement, statementView } from './statements.ts'

export const statementHandlers: Handlers<typeof statements> = {
  statement_get: async (op, { query }) => {
    const statement = await makeStatement(op, query)
    switch (query.format) {
      case 'csv': {
        const fileName = `statement-${dayOf(statement.from)}-${dayOf(statement.to)}.csv`
        return { status: 200, text: { type: 'csv', fileName, pieces: statementCsv(statement) } }
      }
      case 'html':
        return {
          status: 200,
          text: { type: 'html', headers: PAGE_HEADERS, pieces: statementPage(statement) },
        }
      default:
        return { status: 200, body: statementView(statement) }
    }
  },
}

function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10)
}
