import './app/styles.ts'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/app.tsx'
import { getNonce } from './app/nonce.ts'

// react-remove-scroll, which Mantine's drawers use, creates a style tag and reads the nonce from here.
Object.assign(globalThis, { __webpack_nonce__: getNonce() })

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
