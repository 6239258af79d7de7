// Vendor of the Store Integration Service: sells one product for L$ and store credit.
//
// Put this script into an object with a notecard named "vendor" that holds
//
//     service = https://the.address.of.your.service
//     key = sis_live_...
//     product = the product's UUID
//
// The key needs the scopes of the preset "vendor". A line "face = 4" puts the product's picture on that side alone. See
// README.md beside this file.

string TITLE = "Vendor";
string VERSION = "0.1.0";
string NOTECARD = "vendor";
string SETTINGS = "service = https://..., key = sis_live_..., product = its UUID, face = a side from 0 to 8";
list SCOPES = ["sales:write", "products:read"];

// ---- Shared: this part is the same in dispenser.lsl, terminal.lsl and vendor.lsl, since LSL has no imports. ----

string gService;
string gKey;
string gHover;
integer gLine;
key gLineQuery;
string gNotecard;
key gKeyCheck;
list gTold;
string gStatus;

// The text above the object, unless the notecard switches it off.
show(string text)
{
    gStatus = text;
    if (gHover == "off") text = "";
    llSetText(text, <1.0, 1.0, 1.0>, 1.0);
}

// The owner hears each trouble once, offline as well.
complain(string text)
{
    string known = llGetSubString(text, 0, 59);
    if (llListFindList(gTold, [known]) >= 0) return;
    if (llGetListLength(gTold) >= 10) gTold = [];
    gTold += known;
    llInstantMessage(llGetOwner(), TITLE + ": " + text);
}

// A trouble that keeps the object from its work stands above it as well.
stop(string text)
{
    show(TITLE + ": " + text);
    complain(text);
}

// Tells the owner who touches the object the facts that only the virtual world knows.
report(string text)
{
    llOwnerSay(TITLE + " " + VERSION + ": " + text + " Memory used: " + (string)llGetUsedMemory() + " bytes; linkset data free: "
        + (string)llLinksetDataAvailable() + " bytes.");
}

// A JSON string. llList2Json is not used: it takes a text such as "[lamp]" for an array.
string quoted(string text)
{
    text = llReplaceSubString(text, "\\", "\\\\", 0);
    text = llReplaceSubString(text, "\"", "\\\"", 0);
    text = llReplaceSubString(text, "\n", " ", 0);
    return "\"" + text + "\"";
}

// A call of the service; NULL_KEY if the region lets no more through now.
key call(string method, string path, string body, list more)
{
    return llHTTPRequest(gService + path, [
        HTTP_METHOD, method,
        HTTP_MIMETYPE, "application/json",
        HTTP_CUSTOM_HEADER, "X-API-Key", gKey
    ] + more, body);
}

// Every live key may ask what it may do. The reason of most refusals does not reach a script, which sees 415 in its place.
askKey()
{
    gKeyCheck = call("GET", "/v1/store", "", []);
}

integer isKeyFault(integer status)
{
    return status == 401 || status == 403 || status == 415;
}

// Says from the answer to askKey what is wrong with the key; empty if nothing is.
string keyFault(integer status, string body)
{
    if (isKeyFault(status))
        return "the service does not accept the key in the notecard, or is busy. Next try in a minute. If this stays, ask the operator for a new key.";
    string scopes = llJsonGetValue(body, ["key", "scopes"]);
    if (status != 200 || scopes == JSON_INVALID)
        return "the service does not answer (" + (string)status + "). See that the address in the notecard is right. Next try in a minute.";
    integer i;
    for (i = 0; i < llGetListLength(SCOPES); ++i)
    {
        string scope = llList2String(SCOPES, i);
        if (llSubStringIndex(scopes, quoted(scope)) < 0)
            return "the key \"" + llJsonGetValue(body, ["key", "name"]) + "\" lacks the scope " + scope + ". It has " + scopes
                + ". Ask the operator for a key with the preset " + NOTECARD + ".";
    }
    return "";
}

// A line is blank, a comment that begins with #, or a name, = and a value.
readLine(string line)
{
    line = llStringTrim(line, STRING_TRIM);
    if (line == "" || llGetSubString(line, 0, 0) == "#") return;
    integer equals = llSubStringIndex(line, "=");
    string name = "";
    if (equals > 0) name = llToLower(llStringTrim(llGetSubString(line, 0, equals - 1), STRING_TRIM));
    string value = llStringTrim(llDeleteSubString(line, 0, equals), STRING_TRIM);
    if (name == "service")
    {
        // People copy a slash along, or the /v1 of the API's paths.
        while (llGetSubString(value, -1, -1) == "/") value = llDeleteSubString(value, -1, -1);
        if (llGetSubString(value, -3, -1) == "/v1") value = llDeleteSubString(value, -3, -1);
        gService = value;
    }
    else if (name == "key") gKey = value;
    else if (name == "hover" && (llToLower(value) == "on" || llToLower(value) == "off")) gHover = llToLower(value);
    else if (!isSetting(name, value))
        complain("line " + (string)(gLine + 1) + " of the notecard is none that it knows. It knows " + SETTINGS
            + " and hover = on or off. A comment begins with #.");
}

// An edited notecard has another key, which only an owner with all permissions on it is shown, and another time.
string notecardNow()
{
    return (string)llGetInventoryKey(NOTECARD) + llGetInventoryAcquireTime(NOTECARD);
}

openNotecard()
{
    if (llGetInventoryType(NOTECARD) != INVENTORY_NOTECARD)
    {
        stop("put a notecard named \"" + NOTECARD + "\" into this object.");
        return;
    }
    gNotecard = notecardNow();
    gLineQuery = llGetNotecardLine(NOTECARD, gLine);
}

// Takes a line and asks for the next. True behind the last one, if the notecard is complete and the object may work here.
integer isRead(string line)
{
    if (line != EOF)
    {
        readLine(line);
        ++gLine;
        gLineQuery = llGetNotecardLine(NOTECARD, gLine);
        return FALSE;
    }
    if (gService == "" || gKey == "") stop("the notecard lacks its line \"service = ...\" or \"key = ...\".");
    // Without encryption anybody on the way could read the key.
    else if (llToLower(llGetSubString(gService, 0, 7)) != "https://")
        stop("the address of the service must begin with https://. Correct it in the notecard.");
    // The L$ of the test grid are play money, and nothing that is given there lasts.
    else if (llSubStringIndex(llGetEnv("simulator_hostname"), "aditi") >= 0)
        stop("this is not the main grid. Use it there.");
    else return TRUE;
    gService = "";
    return FALSE;
}

// A new notecard, or the first one. Other contents change without a reset.
integer isOtherNotecard(integer change)
{
    if (!(change & CHANGED_INVENTORY) || llGetInventoryType(NOTECARD) != INVENTORY_NOTECARD) return FALSE;
    return notecardNow() != gNotecard;
}

// ---- End of the shared part. ----

// Sales that the service has not answered and L$ that are owed live in linkset data, and survive a reset, a restart of the
// region, and being taken and rezzed. All scripts of the linkset share that: so a pass protects each entry, and its name has
// the vendor's own prim: "sis:v:", the prim, ":" and the sale's id. Its first letter says how far it is: S a sale that the
// service has not answered, X one that came with a copy of the object, O L$ owed to the buyer, P L$ that are on their way.
string OPEN = "sis:v:";
string BUSY = "The store does not answer now. Please touch the vendor again in a minute.";
string COPIED = "the vendor that owed it was copied, or taken and rezzed";
integer PRIM = 6;
integer SALE = 43;
string MARK = "sis:w:";
integer BATCH = 4;

// A search for the next entry looks at no more than so many, since a stranger may write any number.
integer LOOK = 320;

// Without so much free linkset data the vendor takes no payment: it could not keep the sale.
integer RESERVE = 2048;

// The pass that opens what this vendor keeps, and the one that did before the notecard was changed.
string gPass;
string gFormer;
key gOwner;

// Seconds: a quote's life and a menu's, how long one who had the menu leaves it to those who were refused, the wait for an
// answer to a sale, the pause of what is open, of a vendor that is not ready, of one that has nothing to do and looks at its
// product, and the longest one after tries that failed.
integer SESSION = 120;
integer MENU = 30;
integer OTHERS = 60;
integer PATIENCE = 90;
float TICK = 20.0;
integer RETRY = 60;
integer REFRESH = 1800;
integer LONGEST_PAUSE = 600;

// The longest name that fits into a dialog of 512 bytes, in characters of three bytes.
integer NAME = 120;

string NO_TEXTURE = "00000000-0000-0000-0000-000000000000";

string gProduct;
integer gFace = ALL_SIDES;
string gName;
string gImage;
string gDemo;
integer gPrice;
string gRefusal;
integer gTakesCredit;
integer gReady;
integer gLookedAt;
key gProductRequest;

// The avatar who uses the vendor, until when, what they want, and on which terms.
key gBuyer = NULL_KEY;
integer gUntil;
string gWanted;
string gRecipient;
integer gUseCredit;
integer gToPay;
string gQuote;
key gQuoteRequest;
integer gChannel;
integer gListen;
string gMenu;

// Who had the menu last, and when somebody was refused for it.
key gLast = NULL_KEY;
integer gRefused;

// The sale under way, and when the next may be sent.
string gSale;
key gSaleRequest = NULL_KEY;
integer gSaleAt;
integer gSaleNext;
integer gSalePause;
integer gSalePlace;

// The same for the L$ under way.
string gPayment;
key gTransaction = NULL_KEY;
integer gPayAt;
integer gPayNext;
integer gPayPause;
integer gPayPlace;

// The last place at which nextEntry looked, and the one at which adopt looks for what other prims noted.
integer gPlace;
integer gOther;

// Entries that are open, the most that it could not read since it began, and of these the ones with names of prims that are
// gone, as it found them the last time and this time.
integer gOpen;
integer gUnread;
integer gStrange;
integer gStranger;

// The notecard is being read. It is another one, while a payment is under way. The vendor is the only script of its prim.
integer gReading;
integer gStale;
integer gAlone;

integer isSetting(string name, string value)
{
    if (name == "face" && (string)((integer)value) == value) gFace = (integer)value;
    else if (name != "product") return FALSE;
    else if ((key)value) gProduct = value;
    else return FALSE;
    return TRUE;
}

// Without the permission to give L$ back the vendor takes none, nor without memory for the sale.
integer maySell()
{
    return gReady && gRefusal == "" && (llGetPermissions() & PERMISSION_DEBIT) && llLinksetDataAvailable() > RESERVE;
}

string openText()
{
    if (gOpen == 0) return "";
    return "\nOpen payments: " + (string)gOpen;
}

// The pay button has exactly one price, or there is none.
showPrice(integer price)
{
    if (maySell() && price > 0) llSetPayPrice(PAY_HIDE, [price, PAY_HIDE, PAY_HIDE, PAY_HIDE]);
    else llSetPayPrice(PAY_HIDE, [PAY_HIDE, PAY_HIDE, PAY_HIDE, PAY_HIDE]);
    if (!gReady) return;
    if (gRefusal == "") show(gName + "\nL$ " + (string)gPrice + openText());
    else show(gName + "\n" + sentence(gRefusal) + openText());
}

askDebit()
{
    llOwnerSay("Vendor: please allow it to give L$ back from your account. It gives no buyer more than that buyer paid.");
    llRequestPermissions(llGetOwner(), PERMISSION_DEBIT);
}

endSession()
{
    gBuyer = NULL_KEY;
    gQuote = "";
    gQuoteRequest = NULL_KEY;
    gMenu = "";
    llListenRemove(gListen);
    showPrice(gPrice);
}

// The fields that a quote and its sale share.
string terms(string product, key buyer, string recipient, integer useCredit)
{
    string credit = "false";
    if (useCredit) credit = "true";
    return "\"productId\":" + quoted(product) + ",\"buyerIdentifier\":" + quoted((string)buyer)
        + ",\"recipientIdentifier\":" + quoted(recipient) + ",\"useCredit\":" + credit;
}

askQuote()
{
    gMenu = "";
    gQuoteRequest = call("POST", "/v1/quotes", "{" + terms(gWanted, gBuyer, gRecipient, gUseCredit) + "}", []);
    if (gQuoteRequest != NULL_KEY) return;
    llRegionSayTo(gBuyer, 0, BUSY);
    endSession();
}

string sentence(string refusal)
{
    if (refusal == "closed") return "The store is closed.";
    if (refusal == "banned") return "This store does not sell to you or to that avatar.";
    if (refusal == "inactive") return "The product is not for sale now.";
    if (refusal == "sold-out") return "The product is sold out.";
    if (refusal == "underpaid") return "That is less than the price.";
    if (refusal == "unknown-resident") return "No avatar has that username.";
    return "The price or your credit has changed. Please touch the vendor again.";
}

odd(string what, integer status)
{
    complain("the service answered " + (string)status + " to " + what + ". If this stays, tell the operator.");
}

quoteAnswered(integer status, string body)
{
    string refusal = llJsonGetValue(body, ["refusal"]);
    if (status == 400 && llSubStringIndex(llJsonGetValue(body, ["detail"]), "recipientIdentifier") == 0)
        refusal = "unknown-resident";
    else if (status != 200)
    {
        llRegionSayTo(gBuyer, 0, BUSY);
        if (isKeyFault(status)) askKey();
        else odd("a quote", status);
        endSession();
        return;
    }
    // The service answers: what waits for it need not wait longer.
    gSaleNext = 0;
    if (refusal != JSON_NULL)
    {
        llRegionSayTo(gBuyer, 0, sentence(refusal));
        endSession();
        return;
    }
    gQuote = llJsonGetValue(body, ["quote"]);
    gToPay = (integer)llJsonGetValue(body, ["toPay"]);
    gUntil = llGetUnixTime() + SESSION;
    if (gToPay > 0)
    {
        showPrice(gToPay);
        llRegionSayTo(gBuyer, 0, "Please pay L$ " + (string)gToPay + " to this object within two minutes.");
    }
    else if ((integer)llJsonGetValue(body, ["total"]) == 0) gMenu = "free";
    else
    {
        gMenu = "confirm";
        llDialog(gBuyer, gName + "\nYour store credit pays all of it: L$ " + llJsonGetValue(body, ["total"]) + ".",
            ["Confirm", "Cancel"], gChannel);
    }
}

// A text that the viewer shows as the avatar's name.
string link(string avatar)
{
    return "secondlife:///app/agent/" + avatar + "/about";
}

// In chat to who is here, and to others by instant message.
tell(key avatar, string text)
{
    if (llGetAgentSize(avatar) == ZERO_VECTOR) llInstantMessage(avatar, text);
    else llRegionSayTo(avatar, 0, text);
}

string mine()
{
    return OPEN + (string)llGetKey() + ":";
}

integer keep(string entry, string value)
{
    integer code = llLinksetDataWriteProtected(entry, value, gPass);
    return code == LINKSETDATA_OK || code == LINKSETDATA_NOUPDATE;
}

// A value that was written with the pass; empty for all else. That a pass opens no pair which has none is written nowhere.
string opened(string entry, string pass)
{
    if (llLinksetDataRead(entry) != "") return "";
    return llLinksetDataReadProtected(entry, pass);
}

string kept(string entry)
{
    return opened(entry, gPass);
}

drop(string entry)
{
    if (llLinksetDataDeleteProtected(entry, gPass) == LINKSETDATA_OK) --gOpen;
}

// True for a prim of this object.
integer isHere(string prim)
{
    integer prims = llGetNumberOfPrims();
    if (prims == 1) return prim == (string)llGetKey();
    while (prims > 0 && (string)llGetLinkKey(prims) != prim) --prims;
    return prims > 0;
}

// Counts what is open.
count()
{
    gOpen = 0;
    integer at;
    list page = llLinksetDataFindKeys("^" + mine(), 0, BATCH);
    while (page != [])
    {
        integer i;
        for (i = 0; i < llGetListLength(page); ++i)
            if (kept(llList2String(page, i)) != "") ++gOpen;
        at += BATCH;
        page = llLinksetDataFindKeys("^" + mine(), at, BATCH);
    }
}

// Entries with this vendor's name, or that of a prim which is gone, but another's pass. It neither pays nor deletes that.
integer unread()
{
    return llLinksetDataCountFound("^" + mine()) - gOpen + gStrange;
}

// The next entry at one of these stages behind that place, and once around. gPlace is the place behind it then.
string nextEntry(string stages, integer place)
{
    integer count = llLinksetDataCountFound("^" + mine());
    integer looked;
    gPlace = place;
    while (looked < count && looked < LOOK)
    {
        if (gPlace >= count) gPlace = 0;
        list page = llLinksetDataFindKeys("^" + mine(), gPlace, BATCH);
        integer i;
        for (i = 0; i < llGetListLength(page); ++i)
        {
            ++gPlace;
            string entry = llList2String(page, i);
            string stage = llGetSubString(kept(entry), 0, 0);
            if (stage != "" && llSubStringIndex(stages, stage) >= 0) return entry;
        }
        looked += BATCH;
    }
    return "";
}

// Nobody knows whether the L$ arrived, or it is not for this vendor to pay them. Paying twice would be as wrong as never.
tellOwner(string entry, string owed, string why)
{
    llInstantMessage(llGetOwner(), "Vendor: a payment of L$ " + llGetSubString(owed, 36, -1) + " to "
        + link(llGetSubString(owed, 0, 35)) + " is open: " + why + ". Check your transactions, and pay it if it is not there. Sale "
        + llGetSubString(entry, SALE, SALE + 35));
}

doubt(string why)
{
    string owed = llDeleteSubString(kept(gPayment), 0, 0);
    if (owed != "") tellOwner(gPayment, owed, why);
    drop(gPayment);
    gPayment = "";
    gTransaction = NULL_KEY;
}

// Another prim's entries came with a copy of the object, or with one that was taken and rezzed. The original may pay what it
// owes, so this vendor pays nothing of it. The sale is sent again: the service makes one of both.
adopt()
{
    list page = llLinksetDataFindKeys("^" + OPEN, gOther, BATCH);
    gOther += BATCH;
    if (page == [])
    {
        gOther = 0;
        gStrange = gStranger;
        gStranger = 0;
    }
    integer i;
    for (i = 0; i < llGetListLength(page); ++i)
    {
        string entry = llList2String(page, i);
        string value = kept(entry);
        integer isStrange = !isHere(llGetSubString(entry, PRIM, PRIM + 35));
        if (isStrange && value == "") ++gStranger;
        else if (isStrange)
        {
            string stage = llGetSubString(value, 0, 0);
            integer isDone = TRUE;
            value = llDeleteSubString(value, 0, 0);
            if (stage == "S" || stage == "X")
            {
                isDone = keep(mine() + llGetSubString(entry, SALE, -1), "X" + value);
                if (isDone) ++gOpen;
            }
            else tellOwner(entry, value, COPIED);
            if (isDone) llLinksetDataDeleteProtected(entry, gPass);
        }
    }
}

// The pass of what is open is the key's, so another key comes into force in three steps, of which each may be the last
// before a crash: the former pass is noted under the new one, the script begins anew, and it writes each entry anew before it
// works.
string formerName()
{
    return markOf(gPass) + ":former";
}

// Each pass has a mark. Nothing but a reset of the whole memory takes it away.
string markOf(string pass)
{
    return MARK + (string)llGetKey() + ":" + llGetSubString(pass, 0, 7);
}

takeOver()
{
    string former = llDeleteSubString(kept(formerName()), 0, 0);
    if (former == "") return;
    integer isChanged = TRUE;
    integer left;
    while (isChanged)
    {
        isChanged = FALSE;
        left = 0;
        integer at;
        list page = llLinksetDataFindKeys("^" + OPEN, 0, BATCH);
        while (page != [])
        {
            integer i;
            for (i = 0; i < llGetListLength(page); ++i)
            {
                string entry = llList2String(page, i);
                string prim = llGetSubString(entry, PRIM, PRIM + 35);
                string value = opened(entry, former);
                if (value != "" && (prim == (string)llGetKey() || !isHere(prim)))
                {
                    // A name with a pass keeps it, so the entry gets another name.
                    if (keep(entry + "+", value))
                    {
                        llLinksetDataDeleteProtected(entry, former);
                        isChanged = TRUE;
                    }
                    else ++left;
                }
            }
            at += BATCH;
            page = llLinksetDataFindKeys("^" + OPEN, at, BATCH);
        }
    }
    if (left > 0) return;
    llLinksetDataDeleteProtected(markOf(former), former);
    llLinksetDataDeleteProtected(formerName(), gPass);
}

// Tells of open payments that another script has erased, before it counts those that are left.
tellErased()
{
    if (gPass == "" || kept(markOf(gPass)) != "") return;
    if (gOpen > 0) complain("another script has erased its memory, with " + (string)gOpen + " open payments. Compare your transactions with the store's sales.");
    keep(markOf(gPass), "1");
    count();
}

// Reads the notecard. With another key, what is open is first made readable with it.
startOver()
{
    gStale = FALSE;
    tellErased();
    if (gFormer == "") gFormer = gPass;
    if (gFormer == "" || llLinksetDataCountFound("^" + OPEN) == 0) llResetScript();
    gReading = TRUE;
    gLine = 0;
    gService = "";
    gKey = "";
    gProduct = "";
    openNotecard();
}

// Keeps the sale before it is sent, so that no payment is lost.
sell(key buyer, integer paid)
{
    string id = (string)llGenerateKey();
    string body = "{\"id\":" + quoted(id) + ",\"paid\":" + (string)paid + ",";
    if (buyer == gBuyer && gQuote != "" && llGetUnixTime() <= gUntil)
        body += terms(gWanted, buyer, gRecipient, gUseCredit) + ",\"quote\":" + quoted(gQuote) + "}";
    else body += terms(gProduct, buyer, (string)buyer, FALSE) + "}";
    if (buyer == gBuyer) endSession();
    if (!keep(mine() + id, "S" + body))
    {
        complain("its memory is full. It pays L$ " + (string)paid + " back to "
            + link(buyer) + ": look at your transactions.");
        if (paid > 0) llTransferLindenDollars(buyer, paid);
        return;
    }
    ++gOpen;
    settle();
}

// Sends the next sale. One that fails keeps no other waiting: the next try begins behind it.
sendSale(integer now)
{
    if (now < gSaleNext || (gSaleRequest != NULL_KEY && now - gSaleAt <= PATIENCE)) return;
    gSale = nextEntry("SX", gSalePlace);
    gSalePlace = gPlace;
    gSaleRequest = NULL_KEY;
    if (gSale == "") return;
    gSaleAt = now;
    gSaleRequest = call("POST", "/v1/sales", llDeleteSubString(kept(gSale), 0, 0), []);
}

// Gives the next L$ back.
pay(integer now)
{
    if (now < gPayNext || gTransaction != NULL_KEY) return;
    string stages = "P";
    if (llGetPermissions() & PERMISSION_DEBIT) stages = "PO";
    gPayment = nextEntry(stages, gPayPlace);
    gPayPlace = gPlace;
    if (gPayment == "") return;
    string value = kept(gPayment);
    if (llGetSubString(value, 0, 0) == "P")
    {
        doubt("it was under way when the region stopped");
        return;
    }
    value = llDeleteSubString(value, 0, 0);
    if (!keep(gPayment, "P" + value)) return;
    gPayAt = now;
    gTransaction = llTransferLindenDollars((key)llGetSubString(value, 0, 35), (integer)llGetSubString(value, 36, -1));
}

// Takes the next step of what is open: sends one sale, and gives back one sum.
settle()
{
    integer now = llGetUnixTime();
    if (gPass == "" || gService == "" || gReading) return;
    if (gTransaction != NULL_KEY && now - gPayAt > PATIENCE) doubt("nobody said how it ended");
    if (gStale && gTransaction == NULL_KEY)
    {
        startOver();
        return;
    }
    tellErased();
    if (unread() > gUnread)
    {
        gUnread = unread();
        complain("it cannot read some of its memory (" + (string)gUnread + "): another key, owner or script wrote it.");
    }
    sendSale(now);
    pay(now);
    adopt();
    if (gBuyer == NULL_KEY) showPrice(gPrice);
    if (gOpen > 0 || gOther > 0 || gBuyer != NULL_KEY || !gReady) llSetTimerEvent(TICK);
    else llSetTimerEvent((float)REFRESH);
}

// Each failure doubles the pause, so that a service in trouble has time.
integer longer(integer pause)
{
    pause = 2 * pause + 20;
    if (pause > LONGEST_PAUSE) return LONGEST_PAUSE;
    return pause;
}

// A text that is passed on takes its memory twice: so this gets the fields of the answer that it needs, and not all of it.
saleAnswered(integer status, string result, string refusal, integer change)
{
    string asked = kept(gSale);
    string stage = llGetSubString(asked, 0, 0);
    gSaleRequest = NULL_KEY;
    if (stage != "S" && stage != "X") return;
    string buyer = llJsonGetValue(llDeleteSubString(asked, 0, 0), ["buyerIdentifier"]);
    integer paid = (integer)llJsonGetValue(llDeleteSubString(asked, 0, 0), ["paid"]);
    asked = "";
    string text = "Thank you! It is on its way.";
    if (status == 400 || status == 422)
    {
        complain("the service refused a sale: " + refusal + " The buyer is paid back. Tell the operator.");
        text = "The store refused the sale. Please tell its owner.";
        change = paid;
    }
    else if (status != 201 || result == JSON_INVALID)
    {
        odd("a sale. It is kept and sent again", status);
        gSalePause = longer(gSalePause);
        // Many vendors that fail together do not come back together.
        gSaleNext = llGetUnixTime() + gSalePause + (integer)llFrand(0.2 * gSalePause);
        if (isKeyFault(status)) askKey();
        return;
    }
    else
    {
        gTold = [];
        if (change > paid)
        {
            complain("the service wants L$ " + (string)change + " given back of L$ " + (string)paid + ". It gives back what it got. Tell the operator.");
            change = paid;
        }
        if (result == "refused")
        {
            text = sentence(refusal);
            lookAgain();
        }
    }
    gSalePause = 0;
    if (change > 0 && stage == "X") tellOwner(gSale, buyer + (string)change, COPIED);
    if (change > 0 && stage == "S")
    {
        text += " L$ " + (string)change + " of it will come back to you.";
        keep(gSale, "O" + buyer + (string)change);
    }
    else drop(gSale);
    tell(buyer, text);
    settle();
}

askProduct()
{
    gProductRequest = call("GET", "/v1/products/" + gProduct, "", [HTTP_BODY_MAXLENGTH, 1536]);
}

// Somebody touched it: at a moment when another avatar did too, perhaps.
touched(key who, integer now)
{
    if (who == llGetOwner()) report((string)gOpen + " payments are open, and it cannot read " + (string)unread() + ".");
    if (who == llGetOwner() && !(llGetPermissions() & PERMISSION_DEBIT) && gService != "") askDebit();
    else if (gReady && gRefusal != "") llRegionSayTo(who, 0, sentence(gRefusal));
    else if (!maySell()) llRegionSayTo(who, 0, "This vendor is not ready. Please tell its owner.");
    else
    {
        integer isTaken = gBuyer != NULL_KEY && gBuyer != who && now <= gUntil;
        if (isTaken) gRefused = now;
        if (isTaken || (who == gLast && now - gRefused < OTHERS))
            llRegionSayTo(who, 0, "Somebody else is choosing. Please touch it again in a minute.");
        else openMenu(who, now);
    }
}

openMenu(key who, integer now)
{
    endSession();
    gBuyer = who;
    gLast = who;
    gWanted = gProduct;
    gRecipient = (string)who;
    gUseCredit = FALSE;
    gUntil = now + MENU;
    gChannel = (integer)("0x" + llGetSubString((string)llGenerateKey(), 0, 6)) | 0x80000000;
    gListen = llListen(gChannel, "", who, "");
    gMenu = "menu";
    list buttons = ["Buy", "Gift"];
    if (gTakesCredit) buttons += "Use credit";
    if (gDemo != "") buttons += "Demo";
    llSetTimerEvent(TICK);
    llDialog(who, gName + "\nL$ " + (string)gPrice + "\nBuy it, or give it to somebody.", buttons + "Cancel", gChannel);
}

// Looks at the product, and at the key first if the vendor is not ready.
lookAgain()
{
    gLookedAt = llGetUnixTime();
    if (gReady) askProduct();
    else askKey();
}

notReady(string why)
{
    gReady = FALSE;
    stop(why);
    if (gOpen > 0) show(gStatus + openText());
    showPrice(0);
    llSetTimerEvent(TICK);
}

productAnswered(integer status, string body)
{
    if (status == 404)
    {
        notReady("the service has no product with the UUID in the notecard. Correct its line \"product = ...\".");
        return;
    }
    string name = llJsonGetValue(body, ["name"]);
    if (status != 200 || name == JSON_INVALID)
    {
        if (isKeyFault(status)) askKey();
        else odd("a look at the product", status);
        return;
    }
    gName = llGetSubString(name, 0, NAME - 1);
    gPrice = (integer)llJsonGetValue(body, ["activePrice"]);
    gRefusal = "";
    if (llJsonGetValue(body, ["limited"]) == JSON_TRUE && llJsonGetValue(body, ["availableAmount"]) == "0") gRefusal = "sold-out";
    if (llJsonGetValue(body, ["active"]) == JSON_FALSE) gRefusal = "inactive";
    gTakesCredit = llJsonGetValue(body, ["blockCredits"]) == JSON_FALSE;
    gDemo = llJsonGetValue(body, ["demoId"]);
    if (gDemo == JSON_NULL || gDemo == JSON_INVALID) gDemo = "";
    string image = llJsonGetValue(body, ["image"]);
    if (image != gImage && image != NO_TEXTURE) llSetTexture(image, gFace);
    gImage = image;
    if (!gReady) gTold = [];
    gReady = TRUE;
    if (gBuyer == NULL_KEY) showPrice(gPrice);
    settle();
}

default
{
    state_entry()
    {
        showPrice(0);
        gAlone = llGetInventoryNumber(INVENTORY_SCRIPT) == 1;
        gReading = gAlone;
        if (gAlone) openNotecard();
        else stop("there is another script in this prim, which could read the key. Take it out, and ask for a new key.");
    }

    on_rez(integer start)
    {
        llResetScript();
    }

    dataserver(key query, string line)
    {
        if (query != gLineQuery) return;
        integer isComplete = isRead(line);
        if (!isComplete && line != EOF) return;
        if (isComplete && gProduct == "")
        {
            gService = "";
            stop("the notecard lacks its line \"product = ...\", with the UUID of the product.");
        }
        if (gService == "")
        {
            gReading = FALSE;
            return;
        }
        gOwner = llGetOwner();
        gPass = llHMAC(gKey, (string)gOwner, "sha256");
        if (gFormer == "" || gFormer == gPass) takeOver();
        else keep(formerName(), "F" + gFormer);
        if (gFormer != "") llResetScript();
        gReading = FALSE;
        keep(markOf(gPass), "1");
        count();
        askDebit();
        lookAgain();
        llSetTimerEvent(TICK);
        settle();
    }

    run_time_permissions(integer permissions)
    {
        if (!(permissions & PERMISSION_DEBIT)) complain("without the permission to give L$ back it sells nothing. Touch it to be asked again.");
        showPrice(gPrice);
        settle();
    }

    touch_start(integer count)
    {
        integer now = llGetUnixTime();
        if (gService != "" && now - gLookedAt >= RETRY) lookAgain();
        integer i;
        for (i = 0; i < count; ++i) touched(llDetectedKey(i), now);
    }

    listen(integer channel, string name, key id, string text)
    {
        if (id != gBuyer || llGetUnixTime() > gUntil) return;
        if (gMenu == "confirm" && text == "Confirm") sell(id, 0);
        else if (gMenu == "name")
        {
            gRecipient = llReplaceSubString(llToLower(llStringTrim(text, STRING_TRIM)), " ", ".", 0);
            askQuote();
        }
        else if (gMenu != "menu" || text == "Cancel") endSession();
        else if (text == "Gift")
        {
            gMenu = "name";
            llTextBox(id, "The username of the avatar whom it is for:", gChannel);
        }
        else
        {
            gUseCredit = text == "Use credit";
            if (text == "Demo") gWanted = gDemo;
            askQuote();
        }
    }

    money(key buyer, integer amount)
    {
        // A payment may overtake the news of another owner, who could not read what this one keeps.
        if (gService != "" && !gReading && gOwner == llGetOwner()) sell(buyer, amount);
        else llInstantMessage(llGetOwner(), "Vendor: L$ " + (string)amount + " from " + link(buyer)
            + " came while it could sell nothing: give them back.");
    }

    http_response(key request, integer status, list metadata, string body)
    {
        if (request == NULL_KEY) return;
        if (request == gProductRequest)
        {
            // A description may have 4,096 characters, and there is no memory for all of them. What is before it is enough to
            // sell. It is dropped here, since a text that is passed on takes its memory twice. Within it no comma comes
            // before a quotation mark, so these are the names of fields.
            integer from = llSubStringIndex(body, ",\"description\":");
            integer to = llSubStringIndex(body, ",\"demoId\":");
            if (from > 0 && to > from) body = llDeleteSubString(body, from, to - 1);
            else if (from > 0)
            {
                body = llGetSubString(body, 0, from - 1) + "}";
                if (gName == "") complain("the product's description is too long to see whether it has a demo. Shorten it to 700 letters.");
            }
            productAnswered(status, body);
        }
        else if (request == gSaleRequest)
        {
            string refusal = llJsonGetValue(body, ["refusal"]);
            if (status != 201) refusal = llJsonGetValue(body, ["detail"]);
            saleAnswered(status, llJsonGetValue(body, ["state"]), refusal, (integer)llJsonGetValue(body, ["change"]));
        }
        else if (request == gQuoteRequest)
        {
            gQuoteRequest = NULL_KEY;
            quoteAnswered(status, body);
            // The answer makes room first for the sale, which holds the quote.
            body = "";
            if (gMenu == "free") sell(gBuyer, 0);
        }
        else if (request == gKeyCheck)
        {
            string fault = keyFault(status, body);
            if (fault == "") askProduct();
            else notReady(fault);
        }
    }

    transaction_result(key id, integer success, string data)
    {
        if (id != gTransaction) return;
        string owed = llDeleteSubString(kept(gPayment), 0, 0);
        if (success)
        {
            drop(gPayment);
            gPayPause = 0;
            if (owed != "") tell((key)llGetSubString(owed, 0, 35), "You got L$ " + llGetSubString(owed, 36, -1) + " back.");
        }
        // After these the L$ have surely not moved, and another try may succeed.
        else if (data != "" && llSubStringIndex("LINDENDOLLAR_INSUFFICIENTFUNDS THROTTLED MISSING_PERMISSION_DEBIT TRANSFERS_DISABLED", data) >= 0)
        {
            if (owed != "") keep(gPayment, "O" + owed);
            gPayPause = longer(gPayPause);
            gPayNext = llGetUnixTime() + gPayPause;
            complain("L$ could not be given back: " + data + ". See that your account has enough. It is tried again.");
        }
        else doubt(data);
        gPayment = "";
        gTransaction = NULL_KEY;
        settle();
    }

    timer()
    {
        integer now = llGetUnixTime();
        if (gBuyer != NULL_KEY && now > gUntil) endSession();
        if (gService != "" && (now - gLookedAt >= REFRESH || (!gReady && now - gLookedAt >= RETRY))) lookAgain();
        settle();
    }

    changed(integer change)
    {
        if (change & CHANGED_OWNER || (llGetInventoryNumber(INVENTORY_SCRIPT) == 1) != gAlone) llResetScript();
        if (gAlone && isOtherNotecard(change))
        {
            // Nobody could tell how a payment ended that is under way.
            gStale = TRUE;
            if (gTransaction == NULL_KEY) startOver();
        }
        if (change & CHANGED_REGION_START)
        {
            // The line of the notecard that it waited for never comes.
            if (gReading)
            {
                gLine = 0;
                openNotecard();
            }
            // A request that was under way is never answered. A sale is sent again once its time is over.
            gTransaction = NULL_KEY;
            gPayment = "";
            endSession();
            settle();
        }
    }
}
