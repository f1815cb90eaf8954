// A mail catcher with the same ports and health check as the one in deploy/compose.yaml: SMTP on 1025, its page on
// 8025.
import { createServer } from 'node:http'
import { SMTPServer } from 'smtp-server'

const SMTP_PORT = 1025
const PAGE_PORT = 8025

if (process.argv[2] === 'readyz') {
  fetch(`http://127.0.0.1:${PAGE_PORT}/readyz`).then(
    ({ ok }) => process.exit(ok ? 0 : 1),
    () => process.exit(1),
  )
} else {
  const smtp = new SMTPServer({
    authOptional: true,
    onData: (stream, _session, done) => void stream.resume().once('end', () => done()),
  })
  smtp.listen(SMTP_PORT, '127.0.0.1')
  const page = createServer((_request, response) => void response.end())
  page.listen(PAGE_PORT, '127.0.0.1')
  process.once('SIGTERM', () => process.exit(0))
}
