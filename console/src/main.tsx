import './app/styles.ts'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/app.tsx'
import { nonce } from './app/nonce.ts'

// react-remove-scroll, of which Mantine's drawers are made, writes a style tag and looks for the nonce there.
Object.assign(globalThis, { __webpack_nonce__: nonce() })

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
